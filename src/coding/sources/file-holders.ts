import { readdir, readlink, realpath } from "node:fs/promises"
import type { OpenSession, ProcessState } from "../sessions/session-source.ts"

/** Whether a process of the user has each session's file open; only Linux can tell. */
export async function fileHolders(sessions: readonly OpenSession[]): Promise<ProcessState[]> {
  const files = await Promise.all(sessions.map(({ location }) => realpath(location).catch(() => location)))
  const holders = await findHolders(new Set(files))
  return files.map((file) => {
    if (holders === undefined) return { state: "unknown" }
    const pid = holders.get(file)
    return pid === undefined ? { state: "gone" } : { state: "alive", pid, isBusy: false }
  })
}

async function findHolders(files: ReadonlySet<string>): Promise<Map<string, number> | undefined> {
  const processes = await readdir("/proc").catch(() => undefined)
  if (processes === undefined) return undefined
  const holders = new Map<string, number>()
  for (const name of processes.filter((one) => /^\d+$/.test(one))) {
    // Processes of other users cannot be read, and have no files of ours.
    for (const descriptor of await readdir(`/proc/${name}/fd`).catch(() => [])) {
      const target = await readlink(`/proc/${name}/fd/${descriptor}`).catch(() => "")
      if (files.has(target) && Number(name) !== process.pid) holders.set(target, Number(name))
    }
  }
  return holders
}
