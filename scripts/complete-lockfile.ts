// Adds to package-lock.json the builds for other platforms that npm could not look up when it wrote the file, for
// example because a mirror does not carry them. Without their entries `npm ci` refuses the file on every machine.
// With --check it only tells whether any are missing.
import { readFileSync, writeFileSync } from "node:fs"

interface LockedPackage {
  version?: string
  dev?: boolean
  optionalDependencies?: Record<string, string>
}

interface Lockfile {
  packages: Record<string, LockedPackage>
}

const file = "package-lock.json"
const lock: Lockfile = JSON.parse(readFileSync(file, "utf8"))

/** What a package is built for, read from a name such as @scope/binding-linux-arm64-musl. */
function platformOf(name: string): { os?: string[]; cpu?: string[]; libc?: string[] } {
  const parts = name.split("/").at(-1)?.split("-") ?? []
  const pick = (known: readonly string[]) => parts.find((part) => known.includes(part))
  const os = pick(["android", "darwin", "freebsd", "linux", "openharmony", "win32"]) ?? windows(parts)
  const cpu = pick(["arm", "arm64", "ia32", "loong64", "ppc64", "riscv64", "s390x", "wasm32", "x64"])
  const libc = parts.some((part) => part.startsWith("musl")) ? "musl" : "glibc"
  return {
    ...(os ? { os: [os] } : {}),
    ...(cpu ? { cpu: [cpu] } : {}),
    ...(os === "linux" ? { libc: [libc] } : {}),
  }
}

/** Some packages have the system's common name in theirs. */
function windows(parts: string[]): string | undefined {
  return parts.includes("windows") ? "win32" : undefined
}

/** Entries that other entries ask for as optional and that are nowhere. */
function missingEntries(): [string, object][] {
  return Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {}, dev }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !isLocked(path, name))
      .map(([name, version]): [string, object] => [
        `node_modules/${name}`,
        { version, ...(dev ? { dev } : {}), optional: true, ...platformOf(name) },
      ]),
  )
}

/** Whether a package that this one asks for stands beside, inside or above it. */
function isLocked(path: string, name: string): boolean {
  const places = [`${path}/node_modules/${name}`, `node_modules/${name}`]
  return places.some((place) => lock.packages[place] !== undefined)
}

const missing = missingEntries()
if (process.argv.includes("--check")) {
  for (const [path] of missing)
    console.log(`${path} is missing in ${file}; run scripts/complete-lockfile.ts.`)
  process.exitCode = missing.length === 0 ? 0 : 1
} else {
  const packages = { ...lock.packages, ...Object.fromEntries(missing) }
  const sorted = Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`)
}
