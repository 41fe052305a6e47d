import { UserError } from "../../base/errors.ts"
import { count } from "../../base/text/text.ts"
import { readText } from "./files.ts"
import { type ConnectionRecord, hashOf } from "./records.ts"
import { OddShape } from "./settings/json-edit.ts"
import { oursIn, type SettingsFile, withOurs, withoutOurs } from "./settings/settings-file.ts"

/** What becomes of one file; undefined where there is none. */
export interface FileChange {
  file: string
  before: string | undefined
  after: string | undefined
  /** The file as it was before anything of ours came, as far as is known; undefined where there was none. */
  original: string | undefined
  /** What of ours stands in the file then, or stood in it where it is taken out, such as "7 hooks". */
  what: string
}

/** What connecting would do to these files; those that stay as they are are left out. */
export function planConnecting(
  files: readonly SettingsFile[],
  records: readonly ConnectionRecord[],
): FileChange[] {
  return files.flatMap((settings) => {
    const before = readText(settings.file)
    const text = readable(settings, before)
    const after = edited(settings, () => withOurs(settings, text))
    if (after === before) return []
    const fault = settings.faultOf(after)
    if (fault !== undefined) throw notEditable(settings.file)
    return [
      {
        file: settings.file,
        before,
        after,
        original: originalOf(settings, before, records),
        what: whatIn(settings, after),
      },
    ]
  })
}

/** What undoing would do: exactly what was there, where nothing else changed since; else ours is taken out. */
export function planDisconnecting(
  files: readonly SettingsFile[],
  records: readonly ConnectionRecord[],
): FileChange[] {
  return files.flatMap((settings) => {
    const before = readText(settings.file)
    if (before === undefined || oursIn(settings, readable(settings, before)).length === 0) return []
    const after = originalOf(settings, before, records)
    return [{ file: settings.file, before, after, original: after, what: whatIn(settings, before) }]
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
  const without = edited(settings, () => withoutOurs(settings, text))
  const wasOurs = settings.empty === "" || record?.backup === null
  return wasOurs && without.trim() === settings.empty.trim() ? undefined : without
}

/** The text, if it can be edited. An empty file is like none. */
function readable(settings: SettingsFile, text: string | undefined): string {
  if (text === undefined || text.trim() === "") return settings.empty
  const fault = settings.faultOf(text)
  if (fault === undefined) return text
  const advice = "mend or move it first; nothing was changed."
  throw new UserError("config", `${settings.file} cannot be edited, because ${fault}; ${advice}`)
}

function edited(settings: SettingsFile, edit: () => string): string {
  try {
    return edit()
  } catch (error) {
    if (error instanceof OddShape) throw notEditable(settings.file, error.path.join("."))
    throw error
  }
}

function notEditable(file: string, key = ""): UserError {
  const where = key === "" ? "it" : `\`${key}\` in it`
  return new UserError(
    "config",
    `${file} cannot be edited, because ${where} has an unexpected form; mend it first, or connect by hand (--print).`,
  )
}
