import { readFileSync, statSync, writeFileSync } from "node:fs"
import { z } from "zod"
import { UserError } from "../base/errors.ts"
import { replaceFile } from "../base/files/files.ts"

const keptSchema = z.array(z.string())

/** Refuses to begin with an empty database where one was kept: it was deleted or moved, or its disk is not mounted. */
export function refuseGone(keptFile: string, database: string): void {
  if (!readKept(keptFile).includes(database)) return
  // Another process may have made it since somebody looked; and a log beside it gets advice of its own.
  if (
    [database, `${database}-wal`].some((file) => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0)
  )
    return
  const anew = "or run `reverie init --empty` to begin with an empty memory."
  throw new UserError(
    "lost",
    `${database} is missing or empty, but your memory was kept there. Put it back, ${anew}`,
  )
}

/** Notes that a memory is kept in this file from now on. Where that fails, the next opening notes it. */
export async function noteKept(keptFile: string, database: string): Promise<void> {
  const kept = readKept(keptFile)
  if (kept.includes(database)) return
  const text = `${JSON.stringify([...kept, database])}\n`
  try {
    await replaceFile(keptFile, async (temporary) => writeFileSync(temporary, text, { mode: 0o600 }))
  } catch {
    // The disk is full, or somebody else is at it.
  }
}

/** What cannot be read says nothing: the snapshots still do. */
function readKept(keptFile: string): string[] {
  try {
    return keptSchema.parse(JSON.parse(readFileSync(keptFile, "utf8")))
  } catch {
    return []
  }
}
