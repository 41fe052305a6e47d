import { readdir, readlink, realpath } from "node:fs/promises"
import type { Life, OpenSession } from "../sessions/session-source.ts"

/** Which sessions have their file open in a process of the user's; only Linux tells. */
export async function fileHolders(sessions: readonly OpenSession[]): Promise<Life[]> {
  const files = await Promise.all(sessions.map(({ location }) => realpath(location).catch(() => location)))
  const holders = await findHolders(new Set(files))
  return files.map((file) => {
    if (holders === undefined) return { life: "unknown" }
    const pid = holders.get(file)
    return pid === undefined ? { life: "gone" } : { life: "alive", pid, isBusy: false }
  })
}

async function findHolders(files: ReadonlySet<string>): Promise<Map<string, number> | undefined> {
  const processes = await readdir("/proc").catch(() => undefined)
  if (processes === undefined) return undefined
  const holders = new Map<string, number>()
  for (const name of processes.filter((one) => /^\d+$/.test(one))) {
    // Processes of others cannot be looked into, and hold nothing of ours.
    for (const descriptor of await readdir(`/proc/${name}/fd`).catch(() => [])) {
      const target = await readlink(`/proc/${name}/fd/${descriptor}`).catch(() => "")
      if (files.has(target) && Number(name) !== process.pid) holders.set(target, Number(name))
    }
  }
  return holders
}
