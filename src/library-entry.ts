const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 13)) {
  throw new Error(`Reverie needs Node 22.13 or newer; this is Node ${process.versions.node}.`)
}

// Only now: what the library stands on does not load on an older Node, and would say something less clear.
export const { openMemory } = await import("./library.ts")
