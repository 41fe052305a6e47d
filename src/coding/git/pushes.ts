import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { z } from "zod"
import { openRegular } from "../../base/files/read-bounded.ts"

/** A push, as git's reflog of a remote branch records it. */
interface Push {
  /** Such as origin/main. */
  branch: string
  /** The commit that was pushed. */
  head: string
  at: number
}

/** How far each reflog of a clone was read: its newest line, and the file's size and time then. */
export const logMarksSchema = z.record(
  z.string(),
  z.object({ head: z.string(), at: z.number(), size: z.number(), changedAt: z.number() }),
)
type LogMarks = z.infer<typeof logMarksSchema>

/** The result of scanning a clone's reflogs. */
export interface PushScan {
  pushes: Push[]
  marks: LogMarks
  /** Whether there is anything to save. */
  isChanged: boolean
}

/** At most this many reflogs of one clone, and this many levels in branch names. */
const mostLogs = 300
const deepest = 6
/** How much of the end of a reflog is read; a line has about 200 bytes. */
const tailBytes = 65_536
/** At most this many pushes of one branch in one scan, the newest. */
const mostPushes = 10

/**
 * Finds the pushes since the last scan. An unchanged reflog costs one stat, and no process is started. The first scan of
 * a clone reports no pushes. `since` is the time of the last scan, for new branches; `storedName` is the name under
 * which a branch is saved.
 */
export async function scanForPushes(
  gitFolder: string,
  known: { marks: LogMarks; since: number } | undefined,
  storedName: (branch: string) => string,
): Promise<PushScan> {
  const folder = join(gitFolder, "logs", "refs", "remotes")
  const pushes: Push[] = []
  const marks: LogMarks = {}
  let isChanged = known === undefined
  const branches = await logsIn(folder)
  for (const found of branches) {
    const branch = storedName(found)
    const before = known?.marks[branch]
    const file = join(folder, found)
    const log = await stat(file).catch(() => undefined)
    if (log === undefined || !log.isFile()) continue
    const { size, mtimeMs } = log
    const changedAt = Math.round(mtimeMs)
    if (before && before.size === size && before.changedAt === changedAt) {
      marks[branch] = before
      continue
    }
    const lines = await readTail(file, size)
    const last = lines.at(-1)
    marks[branch] = { head: last?.head ?? "", at: last?.at ?? 0, size, changedAt }
    isChanged = true
    if (known === undefined) continue
    const added = linesAfter(lines, before, known.since).filter(({ isPush }) => isPush)
    pushes.push(...added.slice(-mostPushes).map(({ head, at }) => ({ branch, head, at })))
  }
  const isGone = Object.keys(known?.marks ?? {}).some((branch) => marks[branch] === undefined)
  return { pushes: pushes.sort((a, b) => a.at - b.at), marks, isChanged: isChanged || isGone }
}

/** The names of remote branches with a reflog, sorted. */
async function logsIn(folder: string, prefix = "", depth = 0): Promise<string[]> {
  if (depth > deepest) return []
  const entries = await readdir(join(folder, prefix), { withFileTypes: true }).catch(() => [])
  const names: string[] = []
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = prefix === "" ? entry.name : `${prefix}/${entry.name}`
    if (entry.isDirectory()) names.push(...(await logsIn(folder, name, depth + 1)))
    else if (entry.isFile()) names.push(name)
    if (names.length >= mostLogs) break
  }
  return names.slice(0, mostLogs)
}

interface Line {
  head: string
  at: number
  isPush: boolean
}

async function readTail(file: string, size: number): Promise<Line[]> {
  const from = Math.max(0, size - tailBytes)
  const handle = await openRegular(file).catch(() => undefined)
  if (handle === undefined) return []
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from)
    const lines = buffer.subarray(0, bytesRead).toString("utf8").split("\n")
    // The first line may be cut, and the last may be incomplete.
    return lines.slice(from > 0 ? 1 : 0, -1).flatMap((line) => readLine(line) ?? [])
  } catch {
    return []
  } finally {
    await handle.close()
  }
}

/** OLD NEW NAME <ADDRESS> SECONDS ZONE, a tab, and a message. */
const lineForm = /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) .*> (\d{1,12}) [+-]\d{4}\t(.*)$/

function readLine(line: string): Line | undefined {
  const [, head, seconds, message] = lineForm.exec(line) ?? []
  if (head === undefined || seconds === undefined || message === undefined) return undefined
  return { head, at: Number(seconds) * 1000, isPush: /^(?:update by push|push\b)/.test(message) }
}

/** The new lines: those after the last known one, or, if the reflog was rewritten, those younger than it. */
function linesAfter(lines: readonly Line[], before: LogMarks[string] | undefined, since: number): Line[] {
  // Git stores whole seconds.
  if (before === undefined) return lines.filter(({ at }) => at >= since - 1000)
  const index = lines.findLastIndex(({ head, at }) => head === before.head && at === before.at)
  return index === -1 ? lines.filter(({ at }) => at > before.at) : lines.slice(index + 1)
}
