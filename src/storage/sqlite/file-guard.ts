import { renameSync, statSync, truncateSync } from "node:fs"
import { UserError } from "../../base/errors.ts"
import type { readHead } from "./copy-mark.ts"

/** Detects that the files of an open database were deleted, moved, replaced or overwritten. */
export interface FileGuard {
  /** Throws if the paths no longer lead to the opened files. Takes about eight microseconds. */
  verify(): void
  /** Throws if `verify` has failed before. Does not access the files. */
  requireNotLost(): void
  isLost(): boolean
  /** Calls back once, when a loss is detected. */
  onLost(listener: (error: UserError) => void): void
}

/** Guards the files that the paths currently lead to. */
export function guardFiles({
  file,
  opened,
  head,
}: {
  file: string
  /** The file's identity before it was opened. */
  opened: string
  /** Classifies the file by its header. Called only after a write. */
  head(): ReturnType<typeof readHead>
}): FileGuard {
  const log = { "-wal": identityOf(`${file}-wal`), "-shm": identityOf(`${file}-shm`) }
  const listeners: ((error: UserError) => void)[] = []
  let written = statFile(file)?.written
  let lost: UserError | undefined
  const requireKept = () => {
    if (lost) throw lost
  }
  const lose = (path: string, isGone: boolean) => {
    lost = lostFile(path, isGone)
    for (const listener of listeners) listener(lost)
    throw lost
  }
  const hasOtherHead = (writtenNow: bigint): boolean => {
    if (writtenNow === written) return false
    const found = head()
    // A file that is being written is checked again the next time.
    if (found !== "unsettled") written = writtenNow
    // An empty file is ours before its first checkpoint; treating it as another one would lose the data in the log.
    return found === "copy" || found === "other"
  }
  const verify = () => {
    requireKept()
    const now = statFile(file)
    if (now === undefined) return lose(file, true)
    const isOther = now.identity !== opened
    const isOverwritten = !isOther && hasOtherHead(now.written)
    if (isOther || isOverwritten) {
      setLogAside(file, log, isOverwritten)
      return lose(file, false)
    }
    for (const ending of ["-wal", "-shm"] as const) {
      const identity = identityOf(file + ending)
      // The first write may have made it.
      if (log[ending] === "") log[ending] = identity
      else if (identity !== log[ending]) return lose(file + ending, identity === "")
    }
  }
  return {
    verify,
    requireNotLost: requireKept,
    isLost: () => lost !== undefined,
    onLost: (listener) => void listeners.push(listener),
  }
}

/** The device and inode of a path; empty if it does not exist. */
export function identityOf(path: string): string {
  return statFile(path)?.identity ?? ""
}

function statFile(path: string): { identity: string; written: bigint } | undefined {
  try {
    const { dev, ino, mtimeNs } = statSync(path, { bigint: true })
    return { identity: `${dev}:${ino}`, written: mtimeNs }
  } catch {
    return undefined
  }
}

/**
 * Renames our log, because SQLite would apply it to whatever database is at the path. If the old database was
 * overwritten, the log is useless and is also truncated: closing would write it into the new database.
 */
function setLogAside(file: string, log: Record<string, string>, isUseless: boolean): void {
  for (const [ending, identity] of Object.entries(log)) {
    if (identity === "" || identityOf(file + ending) !== identity) continue
    if (isUseless && ending === "-wal") truncateSync(file + ending)
    moveLogAside(file, ending)
  }
}

/** Renames one file of a log that does not belong to the database at this path. */
export function moveLogAside(file: string, ending: string): void {
  try {
    renameSync(file + ending, `${file}.replaced${ending}`)
  } catch {
    // Another process has already renamed it.
  }
}

function lostFile(path: string, isGone: boolean): UserError {
  const what = isGone ? "is gone (deleted, moved, or its disk was unmounted)" : "was replaced by another file"
  const advice = isGone
    ? "Put it back, or set REVERIE_HOME or storage.url to where it is now (`reverie snapshot list` shows the copies there are), then start Reverie again."
    : "Start Reverie again to use what is there now (`reverie snapshot list` shows the copies there are)."
  return new UserError(
    "lost",
    `${path} ${what} while Reverie was using it; this change was not saved. ${advice}`,
  )
}
