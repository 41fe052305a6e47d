const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 13)) {
  throw new Error(`Reverie needs Node 22.13 or newer; this is Node ${process.versions.node}.`)
}

// Imported after the check, because the library's dependencies fail on an older Node with a less clear error.
export const { openMemory } = await import("./library.ts")
