import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"

/** A program that listens on a port. */
interface PortHolder {
  pid: number
  name: string
}

/** The program that listens on a local port; undefined if unknown, such as another user's. */
export function findPortHolder(port: number): PortHolder | undefined {
  return process.platform === "linux" ? fromProc(port) : fromLsof(port)
}

/** Linux lists sockets by number, and the open sockets of each process. */
function fromProc(port: number): PortHolder | undefined {
  const links = new Set(["tcp", "tcp6"].flatMap((table) => socketsOn(port, table)))
  if (links.size === 0) return undefined
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const holds = openFiles(pid).some((link) => links.has(link))
    if (holds) return { pid: Number(pid), name: readFileSync(`/proc/${pid}/comm`, "utf8").trim() }
  }
  return undefined
}

/** Fields of a line: number, local address, remote address, state (0A is listening), …, socket as the tenth. */
function socketsOn(port: number, table: string): string[] {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, "0")}`
  return read(() => readFileSync(`/proc/net/${table}`, "utf8").split("\n"))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, own = "", , state]) => own.endsWith(ending) && state === "0A")
    .map((fields) => `socket:[${fields[9]}]`)
}

function openFiles(pid: string): string[] {
  const names = read(() => readdirSync(`/proc/${pid}/fd`))
  return names.flatMap((name) => read(() => [readlinkSync(`/proc/${pid}/fd/${name}`)]))
}

/** Files of other users, or of processes that have ended, count as empty. */
function read(list: () => string[]): string[] {
  try {
    return list()
  } catch {
    return []
  }
}

function fromLsof(port: number): PortHolder | undefined {
  const args = ["-nP", `-iTCP:${port}`, "-sTCP:LISTEN", "-Fpc"]
  const { stdout } = spawnSync("lsof", args, { encoding: "utf8", timeout: 5000 })
  const [, pid, name] = /^p(\d+)\nc(.+)$/m.exec(stdout ?? "") ?? []
  return pid && name ? { pid: Number(pid), name } : undefined
}
