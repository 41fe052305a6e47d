import { renameSync, statSync, truncateSync } from "node:fs"
import { UserError } from "../../base/errors.ts"
import type { readHead } from "./copy-mark.ts"

/** Notices that the files of an open database were deleted, moved, replaced or written over. */
export interface FileGuard {
  /** Throws if the paths no longer lead to the files that were opened; three looks, about eight microseconds. */
  verify(): void
  /** Throws if that was noticed before; looks at nothing. */
  requireKept(): void
  isLost(): boolean
  /** Calls back once, when it is noticed. */
  onLost(listener: (error: UserError) => void): void
}

/** Guards the files that the paths lead to now. */
export function guardFiles({
  file,
  opened,
  head,
}: {
  file: string
  /** Which file it was before it was opened. */
  opened: string
  /** What the file's own head says. Asked only after somebody wrote to it. */
  head(): ReturnType<typeof readHead>
}): FileGuard {
  const log = { "-wal": identityOf(`${file}-wal`), "-shm": identityOf(`${file}-shm`) }
  const listeners: ((error: UserError) => void)[] = []
  let written = look(file)?.written
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
    // A file that is just being written is looked at again the next time.
    if (found !== "unsettled") written = writtenNow
    // An empty one is ours before its log was first played into it: to take that for another would cost all that is in the log.
    return found === "copy" || found === "other"
  }
  const verify = () => {
    requireKept()
    const now = look(file)
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
    requireKept,
    isLost: () => lost !== undefined,
    onLost: (listener) => void listeners.push(listener),
  }
}

/** Which file a path leads to, as the system knows it; empty where there is none. */
export function identityOf(path: string): string {
  return look(path)?.identity ?? ""
}

function look(path: string): { identity: string; written: bigint } | undefined {
  try {
    const { dev, ino, mtimeNs } = statSync(path, { bigint: true })
    return { identity: `${dev}:${ino}`, written: mtimeNs }
  } catch {
    return undefined
  }
}

/**
 * SQLite plays a log into the file beside it, whatever file that is: ours goes out of its way. Where the old database
 * was written over, its log is of no use to anybody and is emptied: closing would play it into the new one.
 */
function setLogAside(file: string, log: Record<string, string>, isUseless: boolean): void {
  for (const [ending, identity] of Object.entries(log)) {
    if (identity === "" || identityOf(file + ending) !== identity) continue
    if (isUseless && ending === "-wal") truncateSync(file + ending)
    moveLogAside(file, ending)
  }
}

/** Renames one file of a log that does not belong to the database beside it. */
export function moveLogAside(file: string, ending: string): void {
  try {
    renameSync(file + ending, `${file}.replaced${ending}`)
  } catch {
    // Somebody else was quicker.
  }
}

function lostFile(path: string, isGone: boolean): UserError {
  const what = isGone ? "is gone (deleted, moved, or its disk was unmounted)" : "was replaced by another file"
  const advice = isGone
    ? "Put it back, or set REVERIE_HOME or storage.url to where it is now (`reverie snapshot list` shows the copies there are), then start Reverie again."
    : "Start Reverie again to use what is there now (`reverie snapshot list` shows the copies there are)."
  return new UserError("lost", `${path} ${what} while Reverie used it; this was not saved. ${advice}`)
}
