import { createHash } from "node:crypto"
import { basename, join } from "node:path"
import { z } from "zod"
import { isoTime } from "../../base/clock.ts"
import { makePrivateFolder } from "../../base/files/files.ts"
import type { Paths } from "../../config/paths.ts"
import { hookTools } from "../hooks/dialect.ts"
import { readText, writeText } from "./files.ts"

const recordSchema = z.object({
  tool: z.enum(hookTools),
  /** The project's folder; null for a connection of all the user's projects. */
  project: z.string().nullable(),
  file: z.string(),
  /** A copy of the file from before the connection; null if it did not exist. */
  backup: z.string().nullable(),
  /** The hash of the text that we wrote; while the file has it, nobody else changed the file. */
  wrote: z.string(),
  /** The topmost folder that was created for the file. */
  madeFolder: z.string().nullable(),
})
/** A file of another tool that we changed. */
export type ConnectionRecord = z.infer<typeof recordSchema>

/** The files of all connections. An unreadable list counts as empty. */
export function readRecords(paths: Paths): ConnectionRecord[] {
  try {
    return z.array(recordSchema).parse(JSON.parse(readText(recordFile(paths)) ?? "[]"))
  } catch {
    return []
  }
}

/** Replaces the record of a file; undefined deletes it. */
export function saveRecord(paths: Paths, file: string, record: ConnectionRecord | undefined): void {
  const others = readRecords(paths).filter((one) => one.file !== file)
  const records = record === undefined ? others : [...others, record]
  makePrivateFolder(paths.connectionsDir)
  writeText(recordFile(paths), `${JSON.stringify(records, null, 2)}\n`)
}

/** Saves a copy of a file's text and returns its path. */
export function backUp({ connectionsDir }: Paths, file: string, text: string, now: number): string {
  const stamp = isoTime(now).replaceAll(/[:.]/g, "-")
  const copy = join(connectionsDir, `${stamp}-${hashOf(file).slice(0, 8)}-${basename(file)}`)
  makePrivateFolder(connectionsDir)
  writeText(copy, text)
  return copy
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}

function recordFile({ connectionsDir }: Paths): string {
  return join(connectionsDir, "connections.json")
}
