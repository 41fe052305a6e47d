import { existsSync, readFileSync } from "node:fs"
import { UserError } from "../base/errors.ts"
import { writeAtomically } from "../base/files/files.ts"
import { withoutPassword } from "../base/text/text.ts"
import { faultText, keyInfo, readConfig, suggestKey } from "./load.ts"
import { configSchema, type KeyInfo } from "./schema.ts"
import { editToml, parseToml } from "./toml.ts"

/** Sets one key in the global file, keeping comments; nothing is written unless the result is valid. */
export function setConfigValue(file: string, name: string, text: string): unknown {
  const key = keyInfo(name)
  if (key === undefined) throw unknownKey(name)
  const before = existsSync(file) ? readFileSync(file, "utf8") : ""
  const { faults } = readConfig(file)
  const [fault] = faults
  if (fault && fault.key !== name) throw new UserError("config", faultText(fault))
  const value = parseValue(key, text)
  const parsed = parseToml(before)
  if ("fault" in parsed) throw new UserError("config", `${file} is not valid TOML; mend it first.`)
  const values = withValue(structuredClone(parsed.file.values), name.split("."), value)
  writeAtomically(file, `${editToml(before, values).trimEnd()}\n`)
  return value
}

/** A sentence for a key that does not exist. */
export function unknownKey(name: string): UserError {
  const meant = suggestKey(name)
  const advice = meant ? `did you mean ${meant}?` : "`reverie config get` lists all settings."
  return new UserError("usage", `${name} is not a setting; ${advice}`)
}

/** Reads the text of a command line as this key's type: as it stands, a number, true and false, or a list. */
function parseValue(key: KeyInfo, text: string): unknown {
  const candidates: unknown[] = [text]
  if (text === "true" || text === "false") candidates.push(text === "true")
  if (text.trim() !== "" && Number.isFinite(Number(text))) candidates.push(Number(text))
  if (text.startsWith("[")) candidates.push(...listIn(text))
  for (const value of candidates) {
    if (configSchema.safeParse(withValue({}, key.name.split("."), value)).success) return value
  }
  throw new UserError(
    "usage",
    `${key.name} must be ${key.expects}, not ${JSON.stringify(withoutPassword(text))}.`,
  )
}

/** A list as JSON writes it; nothing if it is none. */
function listIn(text: string): unknown[] {
  try {
    return [JSON.parse(text)]
  } catch {
    return []
  }
}

/** The same tables with one value in its place. */
function withValue(
  tables: Record<string, unknown>,
  [first = "", ...rest]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  return { ...tables, [first]: rest.length === 0 ? value : withValue(asRecord(tables[first]), rest, value) }
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {}
}
