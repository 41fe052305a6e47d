import { createHash } from "node:crypto"
import { basename, join } from "node:path"
import { z } from "zod"
import { isoTime } from "../../base/clock.ts"
import { makePrivateFolder } from "../../base/files/files.ts"
import { hookTools } from "../hooks/dialect.ts"
import { readText, writeText } from "./files.ts"
import { connectionsFolder, type DataFolder } from "./folder.ts"

const recordSchema = z.object({
  tool: z.enum(hookTools),
  /** The project's folder; null for a connection of the user's. */
  project: z.string().nullable(),
  file: z.string(),
  /** A copy of the file as it was; null where there was none. */
  backup: z.string().nullable(),
  /** The hash of what we wrote: as long as the file has it, nobody changed anything since. */
  wrote: z.string(),
  /** The topmost folder that was made for it. */
  madeFolder: z.string().nullable(),
})
/** What we know of one file that we changed. */
export type ConnectionRecord = z.infer<typeof recordSchema>

/** The connections that were made and not undone. A list that cannot be read is taken for empty. */
export function readRecords(data: DataFolder): ConnectionRecord[] {
  try {
    return z.array(recordSchema).parse(JSON.parse(readText(recordFile(data)) ?? "[]"))
  } catch {
    return []
  }
}

/** Notes a change of one file; without a record, that it is as it was. */
export function noteRecord(data: DataFolder, file: string, record: ConnectionRecord | undefined): void {
  const others = readRecords(data).filter((one) => one.file !== file)
  const records = record === undefined ? others : [...others, record]
  makePrivateFolder(connectionsFolder(data))
  writeText(recordFile(data), `${JSON.stringify(records, null, 2)}\n`)
}

/** Puts a copy of a file's text where it can be found again. */
export function backUp(data: DataFolder, file: string, text: string, now: number): string {
  const stamp = isoTime(now).replaceAll(/[:.]/g, "-")
  const copy = join(connectionsFolder(data), `${stamp}-${hashOf(file).slice(0, 8)}-${basename(file)}`)
  makePrivateFolder(connectionsFolder(data))
  writeText(copy, text)
  return copy
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}

function recordFile(data: DataFolder): string {
  return join(connectionsFolder(data), "connections.json")
}
