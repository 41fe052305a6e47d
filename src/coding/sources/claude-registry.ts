import { readlinkSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { z } from "zod"
import { isAlive, startOf } from "../../base/processes.ts"
import type { Life, OpenSession } from "../sessions/session-source.ts"
import { parseLine } from "../usage/meter.ts"

const entrySchema = z.object({
  pid: z.number(),
  sessionId: z.string(),
  procStart: z.union([z.string(), z.number()]).nullish(),
  pidDomain: z.string().nullish(),
  status: z.string().nullish(),
})
type Entry = z.infer<typeof entrySchema>

/**
 * Claude Code keeps a file for each running session and removes it at the end: one whose process is gone was left by
 * a crash. Versions that do not do so have no such folder.
 */
export function claudeLives(folder: string) {
  return async (sessions: readonly OpenSession[]): Promise<Life[]> => {
    const entries = await readEntries(folder)
    return sessions.map(({ nativeId }) => {
      if (entries === undefined) return { life: "unknown" }
      const own = entries.filter(({ sessionId }) => sessionId === nativeId)
      if (own.length === 0) return { life: "ended" }
      if (own.some((entry) => !isHere(entry))) return { life: "unknown" }
      const alive = own.find(isRunning)
      return alive ? { life: "alive", pid: alive.pid, isBusy: alive.status === "busy" } : { life: "left" }
    })
  }
}

async function readEntries(folder: string): Promise<Entry[] | undefined> {
  const names = await readdir(folder).catch(() => undefined)
  if (names === undefined) return undefined
  const entries: Entry[] = []
  for (const name of names.filter((one) => /^\d+\.json$/.test(one))) {
    const text = await readFile(join(folder, name), "utf8").catch(() => "")
    const parsed = entrySchema.safeParse(parseLine(text))
    if (parsed.success) entries.push(parsed.data)
  }
  return entries
}

/** A number of another container means another process here. */
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

/** The process is there and began when the session's did: numbers are used again. */
function isRunning({ pid, procStart }: Entry): boolean {
  if (!isAlive(pid)) return false
  const started = startOf(pid)
  return procStart == null || started === undefined || started === String(procStart)
}
