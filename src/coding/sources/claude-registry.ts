import { readlinkSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { z } from "zod"
import { isAlive, processStartTime } from "../../base/processes.ts"
import { parseJsonLine } from "../reading/json-line.ts"
import type { OpenSession, ProcessState } from "../sessions/session-source.ts"

const entrySchema = z.object({
  pid: z.number(),
  sessionId: z.string(),
  procStart: z.union([z.string(), z.number()]).nullish(),
  pidDomain: z.string().nullish(),
  status: z.string().nullish(),
})
type Entry = z.infer<typeof entrySchema>

/**
 * Claude Code has a file for each running session and removes it at the end: a file without its process means a crash.
 * Older versions have no such folder.
 */
export function claudeProcessStates(folder: string) {
  return async (sessions: readonly OpenSession[]): Promise<ProcessState[]> => {
    const entries = await readEntries(folder)
    return sessions.map(({ nativeId }) => {
      if (entries === undefined) return { state: "unknown" }
      const own = entries.filter(({ sessionId }) => sessionId === nativeId)
      if (own.length === 0) return { state: "ended" }
      if (own.some((entry) => !isHere(entry))) return { state: "unknown" }
      const alive = own.find(isRunning)
      return alive
        ? { state: "alive", pid: alive.pid, isBusy: alive.status === "busy" }
        : { state: "crashed" }
    })
  }
}

async function readEntries(folder: string): Promise<Entry[] | undefined> {
  const names = await readdir(folder).catch(() => undefined)
  if (names === undefined) return undefined
  const entries: Entry[] = []
  for (const name of names.filter((one) => /^\d+\.json$/.test(one))) {
    const text = await readFile(join(folder, name), "utf8").catch(() => "")
    const parsed = entrySchema.safeParse(parseJsonLine(text))
    if (parsed.success) entries.push(parsed.data)
  }
  return entries
}

/** Whether the process id is valid here: in another container it means another process. */
function isHere({ pidDomain }: Entry): boolean {
  const theirs = /pid:\[\d+\]$/.exec(pidDomain ?? "")?.[0]
  return theirs === undefined || theirs === ownDomain()
}

function ownDomain(): string | undefined {
  try {
    return readlinkSync("/proc/self/ns/pid")
  } catch {
    return undefined
  }
}

/** Whether the process runs and has the recorded start time: process ids are reused. */
function isRunning({ pid, procStart }: Entry): boolean {
  if (!isAlive(pid)) return false
  const started = processStartTime(pid)
  return procStart == null || started === undefined || started === String(procStart)
}
