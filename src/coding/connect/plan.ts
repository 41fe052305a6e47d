import { UserError } from "../../base/errors.ts"
import { count } from "../../base/text/text.ts"
import type { Connectable, ConnectRequest, ConnectSetup } from "./connectable.ts"
import { readText } from "./files.ts"
import { type ConnectionRecord, hashOf, readRecords } from "./records.ts"
import { UnexpectedShape } from "./settings/json-edit.ts"
import { addOurs, findOurs, removeOurs, type SettingsFile } from "./settings/settings-file.ts"
import { connectedFiles, filesToConnect } from "./tools.ts"

/** A planned change of one file. A text is undefined where the file does not exist. */
export interface FileChange {
  file: string
  before: string | undefined
  after: string | undefined
  /** The text without anything of ours, for the backup. */
  original: string | undefined
  /** Our entries in the file afterwards, or those that are removed, such as "7 hooks". */
  what: string
}

/** What connecting a tool would change. Files that stay the same are not listed. */
export function planConnection(
  { host, paths }: ConnectSetup,
  tool: Connectable,
  request: ConnectRequest,
): FileChange[] {
  const records = readRecords(paths)
  return filesToConnect(tool, host, request).flatMap((settings) => {
    const { file } = settings
    const before = readText(file)
    const text = editableText(settings, before)
    const after = edited(settings, () => addOurs(settings, text))
    if (after === before) return []
    if (settings.problemWith(after) !== undefined) throw notEditable(file)
    const original = originalOf(settings, before, records)
    return [{ file, before, after, original, what: whatIn(settings, after) }]
  })
}

/** What disconnecting a tool would change: it restores the backup, or removes our entries if the file changed since. */
export function planDisconnection(
  { host, paths }: ConnectSetup,
  tool: Connectable,
  project?: string,
): FileChange[] {
  const records = readRecords(paths)
  return connectedFiles(tool, host, project).flatMap((settings) => {
    const { file } = settings
    const before = readText(file)
    if (before === undefined || findOurs(settings, editableText(settings, before)).length === 0) return []
    const after = originalOf(settings, before, records)
    return [{ file, before, after, original: after, what: whatIn(settings, before) }]
  })
}

function whatIn({ parts }: SettingsFile, text: string): string {
  const counted = parts.flatMap(({ name, find }) => {
    const found = find(text).length
    if (found === 0) return []
    return name === "hook" ? count(found, name) : `the ${name}`
  })
  return counted.join(", ")
}

function originalOf(
  settings: SettingsFile,
  text: string | undefined,
  records: readonly ConnectionRecord[],
): string | undefined {
  if (text === undefined) return undefined
  const record = records.find(({ file }) => file === settings.file)
  if (record?.wrote === hashOf(text)) {
    if (record.backup === null) return undefined
    const backup = readText(record.backup)
    if (backup !== undefined) return backup
  }
  const without = edited(settings, () => removeOurs(settings, text))
  const wasOurs = settings.empty === "" || record?.backup === null
  return wasOurs && without.trim() === settings.empty.trim() ? undefined : without
}

/** The text to edit; throws if it cannot be parsed. An empty file counts as missing. */
function editableText(settings: SettingsFile, text: string | undefined): string {
  if (text === undefined || text.trim() === "") return settings.empty
  const problem = settings.problemWith(text)
  if (problem === undefined) return text
  const advice = "fix or move it first; nothing was changed."
  throw new UserError("config", `${settings.file} cannot be edited, because ${problem}; ${advice}`)
}

function edited(settings: SettingsFile, edit: () => string): string {
  try {
    return edit()
  } catch (error) {
    if (error instanceof UnexpectedShape) throw notEditable(settings.file, error.path.join("."))
    throw error
  }
}

function notEditable(file: string, key = ""): UserError {
  const where = key === "" ? "it" : `\`${key}\` in it`
  return new UserError(
    "config",
    `${file} cannot be edited, because ${where} has an unexpected form; fix it first, or connect by hand (--print).`,
  )
}
