import { readFileSync } from "node:fs"
import { codeOf } from "./errors.ts"

/** Whether a process of this machine still runs. One that has ended but was not collected yet does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) === "EPERM"
  }
  return !isZombie(pid)
}

/** On Linux the letter after the name in /proc/PID/stat is Z for a process that only waits to be collected. */
function isZombie(pid: number): boolean {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\)/, ""))
  } catch {
    return false
  }
}

/** When a process began, in the system's own words; undefined where they cannot be had (only Linux tells). */
export function startOf(pid: number): string | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ")
    return fields[19]
  } catch {
    return undefined
  }
}
