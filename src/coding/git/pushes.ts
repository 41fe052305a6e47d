import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { openRegular } from "../../base/files/read-bounded.ts"

/** One push as git's own log of a remote branch tells it. */
interface Push {
  /** Such as origin/main. */
  branch: string
  /** The commit that was pushed. */
  head: string
  at: number
}

/** How far a log was read: its newest line, and how the file looked then. */
interface LogMark {
  head: string
  at: number
  size: number
  changedAt: number
}

/** All logs of one clone. */
export type LogMarks = Readonly<Record<string, LogMark>>

/** What a look at a clone's logs came to. */
export interface Looked {
  pushes: Push[]
  marks: LogMarks
  /** Whether anything is to be kept. */
  isChanged: boolean
}

/** Logs looked at in one clone, and how deep branch names may be nested. */
const mostLogs = 300
const deepest = 6
/** So much of the end of a log is read; a line has about 200 bytes. */
const tailBytes = 65_536
/** Pushes told of at one look at one branch; the newest. */
const mostPushes = 10

/**
 * Looks for pushes since the last look. Unchanged logs cost one stat each, and no process is started. At the first look
 * at a clone what is there counts as known; `since` is when it was last looked at, for branches that are new. `keptName`
 * says under which name a branch is told of.
 */
export async function lookForPushes(
  gitFolder: string,
  known: { marks: LogMarks; since: number } | undefined,
  keptName: (branch: string) => string,
): Promise<Looked> {
  const folder = join(gitFolder, "logs", "refs", "remotes")
  const looked: Looked = { pushes: [], marks: {}, isChanged: known === undefined }
  const marks: Record<string, LogMark> = {}
  const branches = await logsIn(folder)
  for (const found of branches) {
    const branch = keptName(found)
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
    looked.isChanged = true
    if (known === undefined) continue
    const fresh = linesAfter(lines, before, known.since).filter(({ isPush }) => isPush)
    looked.pushes.push(...fresh.slice(-mostPushes).map(({ head, at }) => ({ branch, head, at })))
  }
  const isGone = Object.keys(known?.marks ?? {}).some((branch) => marks[branch] === undefined)
  looked.pushes.sort((a, b) => a.at - b.at)
  return { ...looked, marks, isChanged: looked.isChanged || isGone }
}

/** The names of remote branches that have a log, in order. */
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
    // The first may be cut, and the last is not written to its end yet.
    return lines.slice(from > 0 ? 1 : 0, -1).flatMap((line) => readLine(line) ?? [])
  } catch {
    return []
  } finally {
    await handle.close()
  }
}

/** OLD NEW NAME <ADDRESS> SECONDS ZONE, a tab, and what happened. */
const lineForm = /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) .*> (\d{1,12}) [+-]\d{4}\t(.*)$/

function readLine(line: string): Line | undefined {
  const [, head, seconds, message] = lineForm.exec(line) ?? []
  if (head === undefined || seconds === undefined || message === undefined) return undefined
  return { head, at: Number(seconds) * 1000, isPush: /^(?:update by push|push\b)/.test(message) }
}

/** What is new: after the line that was the last, or, where the log was rewritten, what is younger than it. */
function linesAfter(lines: readonly Line[], before: LogMark | undefined, since: number): Line[] {
  // Git counts whole seconds.
  if (before === undefined) return lines.filter(({ at }) => at >= since - 1000)
  const index = lines.findLastIndex(({ head, at }) => head === before.head && at === before.at)
  return index === -1 ? lines.filter(({ at }) => at > before.at) : lines.slice(index + 1)
}
