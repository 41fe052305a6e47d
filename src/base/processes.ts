import { readFileSync } from "node:fs"
import { codeOf } from "./errors.ts"

/** Whether a process of this machine is running. Zombies do not count. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) === "EPERM"
  }
  return !isZombie(pid)
}

/** On Linux, the state after the name in /proc/PID/stat is Z for a zombie. */
function isZombie(pid: number): boolean {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\)/, ""))
  } catch {
    return false
  }
}

/** Signals a process group, which is named by its leader's id; one that has ended already is fine. */
export function killGroup(leader: number | undefined, signal: NodeJS.Signals = "SIGKILL"): void {
  try {
    if (leader !== undefined) process.kill(-leader, signal)
  } catch {
    // It has ended.
  }
}

/** The start time of a process in the system's own unit; undefined where it is not available (only Linux has it). */
export function processStartTime(pid: number): string | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ")
    return fields[19]
  } catch {
    return undefined
  }
}
