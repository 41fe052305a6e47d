import { existsSync } from "node:fs"
import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Host } from "../../../config/paths.ts"
import type { Config } from "../../../config/schema.ts"
import { giveToSandbox, openBubblewrap } from "./bubblewrap.ts"
import { readableFolders } from "./readable.ts"
import type { Sandbox } from "./sandbox.ts"
import { openSeatbelt } from "./seatbelt.ts"
import { systemCallFilter } from "./seccomp.ts"

/** The machine's sandbox, or why there is none and how to get one. Without one no command runs. */
export type FoundSandbox =
  | {
      outcome: "found"
      sandbox: Sandbox
      /** Why folders of work.readable are not mounted. */
      problems: string[]
    }
  | { outcome: "missing"; reason: string; fix: string }

/** Only where the system installs packages: a program in the user's PATH may be anything. */
const bubblewrapPaths = [
  "/usr/bin/bwrap",
  "/bin/bwrap",
  "/usr/local/bin/bwrap",
  "/run/current-system/sw/bin/bwrap",
]
const seatbeltPath = "/usr/bin/sandbox-exec"
const probeMs = 20_000

/** Finds the machine's sandbox and runs a command in it as a test. */
export async function findSandbox({
  clock,
  paths,
  work,
}: Pick<Host, "clock" | "paths"> & { work: Config["work"] }): Promise<FoundSandbox> {
  const limits = { memoryMb: work.memory_mb, processes: work.processes, diskMb: work.disk_mb }
  const { folders, problems } = readableFolders({ paths, extra: work.readable })
  const setup = { clock, readable: folders, limits }
  if (process.platform === "darwin") {
    if (!existsSync(seatbeltPath)) return missing("there is no sandbox-exec", "Update macOS.")
    return tried(openSeatbelt({ ...setup, program: seatbeltPath }), problems)
  }
  if (process.platform !== "linux")
    return missing(`it is not available for ${process.platform}`, "Use Linux or macOS.")
  if (systemCallFilter(process.arch) === undefined)
    return missing(
      `it is not available for ${process.arch} processors`,
      "Use a machine with x86-64 or 64-bit ARM.",
    )
  const program = bubblewrapPaths.find((path) => existsSync(path))
  if (program === undefined)
    return missing("bubblewrap is not installed", "Install it, for example with: apt install bubblewrap")
  return tried(openBubblewrap({ ...setup, program }), problems)
}

/** A sandbox that cannot run a command does not count, for example where user namespaces are disabled. */
async function tried(sandbox: Sandbox, problems: string[]): Promise<FoundSandbox> {
  const root = await mkdtemp(join(await realpath(tmpdir()), "reverie-sandbox-"))
  try {
    await giveToSandbox(root)
    const view = { root, readable: [], files: [] }
    const { exitCode, message, output } = await sandbox.run({ view, command: ["true"], timeoutMs: probeMs })
    if (exitCode === 0) return { outcome: "found", sandbox, problems }
    const why = (message || output.trim() || `it ended with ${exitCode}`).replace(/\.$/, "")
    return missing(`${sandbox.name} does not work here: ${why}`, fixFor(why))
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

function fixFor(why: string): string {
  if (/uid map|user namespace|Operation not permitted|Permission denied/i.test(why))
    return "Allow user namespaces for bwrap: on Ubuntu install apparmor-profiles, elsewhere set the sysctl user.max_user_namespaces."
  if (/Unknown option/i.test(why)) return "Install bubblewrap 0.8 or newer."
  return "Reinstall bubblewrap and util-linux from your distribution."
}

function missing(reason: string, fix: string): FoundSandbox {
  return { outcome: "missing", reason, fix }
}
