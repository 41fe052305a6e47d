import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe } from "vitest"
import { throwawayFolder } from "./home.ts"

/** What watching needs: the kernel's own account of what a program does, in a world without a network. */
const tools = ["strace", "unshare", "ip"]
const isThere = process.getuid?.() === 0 && tools.every((name) => spawnSync("which", [name]).status === 0)

/** A suite that watches what leaves the machine; it needs root, and what scripts/test-setup installs. */
export function describeWatched(name: string, suite: () => void): void {
  if (!isThere && process.env.CI === "true") throw new Error(`in CI nothing may be left out: ${tools.join()}`)
  describe.skipIf(!isThere)(name, suite)
}

/** A way to run a program so that everything it tries to reach is known. */
export interface Watch {
  /** What goes before the program and its arguments. */
  command: string[]
  /**
   * Where it and whatever it started tried to send something: ADDRESS:PORT or a socket's path. A look-up of names is
   * seen by the server it asks (port 53, or systemd's socket).
   */
  reached(): string[]
}

/** Sets up a watch. The program has a network of its own with nothing on it but itself, unless it may use the machine's. */
export function openWatch({ network = "none" }: { network?: "none" | "machine" } = {}): Watch {
  const file = join(throwawayFolder(), "calls")
  const calls = "trace=connect,sendto,sendmsg,sendmmsg"
  const strace = ["strace", "-f", "--seccomp-bpf", "-qq", "-s", "4096", "-e", calls, "-o", file]
  const alone = ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
  return {
    command: network === "none" ? [...alone, ...strace] : strace,
    reached: () => [...new Set(readFileSync(file, "utf8").split("\n").flatMap(reachedBy))],
  }
}

/** The C library asks here who the user is, which does not leave the machine. */
const nameService = "/var/run/nscd/socket"

function reachedBy(line: string): string[] {
  if (/"[^"]*hosts\\0/.test(line)) return ["a look-up of names by nscd"]
  const port = /sin6?_port=htons\((\d+)\)/.exec(line)?.[1]
  const address = /inet_(?:addr|pton)\((?:AF_INET6, )?"([^"]+)"/.exec(line)?.[1]
  if (port !== undefined && address !== undefined) return [`${address}:${port}`]
  const path = /sun_path=@?"([^"]+)"/.exec(line)?.[1]
  return path === undefined || path === nameService ? [] : [path]
}
