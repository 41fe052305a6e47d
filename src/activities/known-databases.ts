import { readFileSync, statSync, writeFileSync } from "node:fs"
import { z } from "zod"
import { UserError } from "../base/errors.ts"
import { replaceFile } from "../base/files/files.ts"

const keptSchema = z.array(z.string())

/** Refuses to start with an empty database where one existed: it was deleted or moved, or its disk is not mounted. */
export function refuseMissingDatabase(keptFile: string, database: string): void {
  if (!readDatabases(keptFile).includes(database)) return
  // Another process may have created it meanwhile; a log without its database gets its own advice elsewhere.
  if (
    [database, `${database}-wal`].some((file) => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0)
  )
    return
  const advice = "or run `reverie init --empty` to start with an empty memory."
  throw new UserError(
    "lost",
    `${database} is missing or empty, but it had your memory. Restore it, ${advice}`,
  )
}

/** Records that this file has a memory. If that fails, the next opening records it. */
export async function recordDatabase(keptFile: string, database: string): Promise<void> {
  const kept = readDatabases(keptFile)
  if (kept.includes(database)) return
  const text = `${JSON.stringify([...kept, database])}\n`
  try {
    await replaceFile(keptFile, async (temporary) => writeFileSync(temporary, text, { mode: 0o600 }))
  } catch {
    // The disk is full, or another process is writing the file.
  }
}

/** An unreadable list counts as empty; the snapshots are a second safeguard. */
function readDatabases(keptFile: string): string[] {
  try {
    return keptSchema.parse(JSON.parse(readFileSync(keptFile, "utf8")))
  } catch {
    return []
  }
}
