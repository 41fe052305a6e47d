import { existsSync, readFileSync } from "node:fs"
import { UserError } from "../base/errors.ts"
import { writeAtomically } from "../base/files/files.ts"
import { tryParseJson } from "../base/text/json.ts"
import { withoutPassword } from "../base/text/text.ts"
import { faultText, keyInfo, keysIn, readConfig, suggestKey } from "./load.ts"
import { configSchema, type KeyInfo, valueAt } from "./schema.ts"
import { editToml, parseToml, type TomlFile } from "./toml.ts"

/** Sets one key in the global file and keeps its comments. Writes nothing unless the result is valid. */
export function setConfigValue(file: string, name: string, text: string): unknown {
  const { after } = configWith(file, [{ key: name, value: text }])
  writeAtomically(file, after)
  return valueAt(readConfig(file).config, name)
}

/** The global file's text before and after some changes. Writes nothing. */
export function configWith(
  file: string,
  changes: readonly { key: string; value: string }[],
): { before: string; after: string } {
  const before = existsSync(file) ? readFileSync(file, "utf8") : ""
  for (const { key } of changes) if (keyInfo(key) === undefined) throw unknownKey(key)
  const fault = readConfig(file).faults.find((one) => !changes.some(({ key }) => key === one.key))
  if (fault) throw new UserError("config", faultText(fault))
  let after = before
  for (const change of changes) after = withSetting(file, after, change)
  return { before, after }
}

function withSetting(file: string, before: string, change: { key: string; value: string }): string {
  const key = keyInfo(change.key)
  if (key === undefined) throw unknownKey(change.key)
  const value = parseValue(key, change.value)
  const parsed = parseToml(before)
  if ("fault" in parsed) throw new UserError("config", `${file} is not valid TOML; fix it first.`)
  const values = withValue(structuredClone(parsed.file.values), key.name.split("."), value)
  return `${editToml(withTable(before, parsed.file, key.name), values).trimEnd()}\n`
}

/** Adds a heading for a nested table, which the TOML editor would otherwise write inline. */
function withTable(text: string, { lineOf, tables }: TomlFile, name: string): string {
  const path = name.split(".").slice(0, -1)
  const isThere = lineOf(path.join(".")) !== undefined
  const isInline = lineOf(path[0] ?? "") !== undefined && !tables.some((table) => table.name[0] === path[0])
  return path.length < 2 || isThere || isInline ? text : `${text.trimEnd()}\n\n[${path.join(".")}]\n`
}

/** The error for a key that does not exist. */
export function unknownKey(name: string): UserError {
  if (name.trim() === "")
    return new UserError(
      "usage",
      "The name of the setting is empty; `reverie config get` lists all settings.",
    )
  const keys = keysIn(name)
  if (keys.length > 0) return new UserError("usage", `${name} is a table; name a key in it${suchAs(keys)}.`)
  const suggestion = suggestKey(name)
  const inSuggested = suggestion === undefined ? [] : keysIn(suggestion)
  const advice = suggestion
    ? `did you mean ${inSuggested.length > 0 ? `a key in ${suggestion}${suchAs(inSuggested)}` : suggestion}?`
    : "`reverie config get` lists all settings."
  return new UserError("usage", `${name} is not a setting; ${advice}`)
}

function suchAs(keys: readonly string[]): string {
  return `, such as ${keys.slice(0, 2).join(" or ")}`
}

/** Parses a command line argument as a value of this key: a text, a number, a boolean or a list. */
function parseValue(key: KeyInfo, text: string): unknown {
  const candidates: unknown[] = [text]
  if (text === "true" || text === "false") candidates.push(text === "true")
  if (text.trim() !== "" && Number.isFinite(Number(text))) candidates.push(Number(text))
  const list = text.startsWith("[") ? tryParseJson(text) : undefined
  if (list !== undefined) candidates.push(list)
  for (const value of candidates) {
    if (configSchema.safeParse(withValue({}, key.name.split("."), value)).success) return value
  }
  throw new UserError(
    "usage",
    `${key.name} must be ${key.expects}, not ${JSON.stringify(withoutPassword(text))}.`,
  )
}

/** A copy of the tables with one value changed, at any depth. */
function withValue(
  tables: Record<string, unknown>,
  [first = "", ...rest]: string[],
  value: unknown,
): Record<string, unknown> {
  return { ...tables, [first]: rest.length === 0 ? value : withValue(asRecord(tables[first]), rest, value) }
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {}
}
