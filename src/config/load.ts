import { readFileSync } from "node:fs"
import { join } from "node:path"
import { codeOf, messageOf, UserError } from "../base/errors.ts"
import { readWithin } from "../base/files/read-bounded.ts"
import { closest, shellQuoted, withoutPassword } from "../base/text/text.ts"
import type { Environment } from "./environment.ts"
import type { Paths } from "./paths.ts"
import { allKeys, type Config, configSchema, type KeyInfo, valueAt } from "./schema.ts"
import { privacyActions } from "./settings/memory.ts"
import { parseToml, type TomlFile } from "./toml.ts"

/** One error in a configuration file. */
export interface ConfigFault {
  file: string
  line: number | undefined
  /** The dotted name of the key; empty if the file is not valid TOML. */
  key: string
  message: string
}

/** Skips zod's compilation of a faster parser, which does not pay off for one call. */
const once = { jitless: true }

/**
 * Loads the global configuration. A missing file gives the defaults, an invalid one a UserError. `urlName` is what the caller
 * of the program knows the database's URL as.
 */
export function loadConfig(env: Environment, paths: Paths, urlName = "REVERIE_DATABASE_URL"): Config {
  const { config, faults } = readConfig(paths.configFile)
  if (faults.length > 0) throw faultError(faults)
  if (env.databaseUrl === undefined) return config
  const storage = configSchema.shape.storage.safeParse({ ...config.storage, url: env.databaseUrl }, once)
  if (storage.success) return { ...config, storage: storage.data }
  const expects = keyInfo("storage.url")?.expects
  throw new UserError("config", `${urlName} must be ${expects}; correct or unset it.`)
}

/** Reads and checks the global configuration file and returns all errors. */
export function readConfig(file: string): { config: Config; faults: ConfigFault[] } {
  const toml = tomlOf(readIfExists(file), file)
  if ("faults" in toml) return { config: configSchema.parse({}, once), faults: toml.faults }
  const parsed = configSchema.safeParse(toml.file.values, once)
  if (parsed.success) return { config: parsed.data, faults: [] }
  return { config: configSchema.parse({}, once), faults: faultsOf(parsed.error.issues, toml.file, file) }
}

const projectFile = join(".reverie", "config.toml")

/** The path of a project's own configuration. */
export function projectConfigFile(root: string): string {
  return join(root, projectFile)
}

/** The configuration as a project's file tightens it. Throws if the file loosens anything or cannot be read. */
export async function loadProjectConfig(config: Config, root: string): Promise<Config> {
  const { config: tightened, faults } = await readProjectConfig(config, root)
  if (faults.length > 0) throw faultError(faults, root)
  return tightened
}

/** Reads and checks a project's file, which may only tighten the global configuration. */
export async function readProjectConfig(
  global: Config,
  root: string,
): Promise<{ config: Config; faults: ConfigFault[] }> {
  const file = projectConfigFile(root)
  const read = await readWithin(root, projectFile, { mostBytes: longestProjectFile })
  if (read.outcome === "missing") return { config: global, faults: [] }
  const problem = read.outcome === "read" ? problemWithSize(read.text) : read.reason
  if (read.outcome === "refused" || problem !== undefined) {
    const message = `this ${problem}; a project's configuration is a short file inside the project. Correct or remove it.`
    return { config: global, faults: [{ file, line: undefined, key: "", message }] }
  }
  const toml = tomlOf(read.text, file)
  if ("faults" in toml) return { config: global, faults: toml.faults }
  const parsed = configSchema.safeParse(toml.file.values, once)
  if (!parsed.success) return { config: global, faults: faultsOf(parsed.error.issues, toml.file, file) }
  const merged = structuredClone(global)
  const faults: ConfigFault[] = []
  for (const key of allKeys()) {
    const wanted = valueAt(toml.file.values, key.name)
    if (wanted === undefined) continue
    const problem = problemWithProjectValue(key, valueAt(global, key.name), wanted)
    if (problem) faults.push({ file, line: toml.file.lineOf(key.name), key: key.name, message: problem })
    else assign(merged, key.name, wanted)
  }
  return { config: merged, faults }
}

const longestProjectFile = 65_536
/** Parsing time grows faster than the text, so the text is bounded. */
const longestLine = 1000
const mostLines = 2000
const mostSettings = 500
const mostParts = 16

/** Why a project's file is too large to parse, or undefined. */
function problemWithSize(text: string): string | undefined {
  const lines = text.split("\n")
  const settings = lines.filter((line) => !/^\s*(?:#|$)/.test(line))
  if (lines.length > mostLines || settings.length > mostSettings) return "has too many lines"
  if (settings.some((line) => line.length > longestLine)) return "has a line that is too long"
  if (settings.some((line) => (line.split("=", 1)[0] ?? "").split(".").length > mostParts))
    return "has a name of too many parts"
  return undefined
}

/** Why a project may not set this value; undefined if it may. */
function problemWithProjectValue(key: KeyInfo, global: unknown, wanted: unknown): string | undefined {
  if (key.tighten === undefined) {
    return `${key.name} cannot be set by a project; move it to the global configuration.`
  }
  const allowed = allowedInstead(key.tighten, global, wanted)
  if (allowed === undefined) return undefined
  return `${key.name} may only be tightened by a project: set it to ${allowed} or remove it.`
}

/** What a project may set instead; undefined if the value does not loosen the global one. */
function allowedInstead(
  tighten: NonNullable<KeyInfo["tighten"]>,
  global: unknown,
  wanted: unknown,
): string | undefined {
  switch (tighten) {
    case "off":
      return wanted === false || wanted === global ? undefined : "false"
    case "none":
      return wanted === "none" || wanted === global ? undefined : '"none"'
    case "lower":
      return Number(wanted) <= Number(global) ? undefined : `at most ${global}`
    case "stricter": {
      const order: readonly unknown[] = privacyActions
      const stricter = privacyActions.slice(order.indexOf(global))
      return order.indexOf(wanted) >= order.indexOf(global) ? undefined : stricter.join(" or ")
    }
  }
}

function assign(config: Config, name: string, value: unknown): void {
  const at = name.lastIndexOf(".")
  const table = valueAt(config, name.slice(0, at))
  if (typeof table === "object" && table !== null) Object.assign(table, { [name.slice(at + 1)]: value })
}

function tomlOf(text: string, file: string): { file: TomlFile } | { faults: ConfigFault[] } {
  const parsed = parseToml(text)
  if ("file" in parsed) return parsed
  const { line, message } = parsed.fault
  return { faults: [{ file, line, key: "", message: `this is not valid TOML: ${message}.` }] }
}

function readIfExists(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    const code = codeOf(error)
    if (code === "ENOENT" || code === "ENOTDIR") return ""
    throw new UserError("config", `${file} cannot be read: ${messageOf(error)}. Fix its permissions.`, {
      cause: error,
    })
  }
}

/** The parts of a zod issue that are used here. */
interface Issue {
  code: string
  path: PropertyKey[]
  keys?: string[]
}

function faultsOf(issues: readonly unknown[], toml: TomlFile, file: string): ConfigFault[] {
  const faults = (issues as Issue[]).flatMap((issue) => {
    const path = issue.path.map(String)
    if (issue.code !== "unrecognized_keys") return [valueFault(path.join("."), toml, file)]
    return (issue.keys ?? []).map((key) => unknownFault([...path, key].join("."), toml, file))
  })
  return faults.sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
}

function valueFault(name: string, toml: TomlFile, file: string): ConfigFault {
  const found = valueAt(toml.values, name)
  const value = JSON.stringify(typeof found === "string" ? withoutPassword(found) : found)
  const expects = keyInfo(name)?.expects ?? "a table"
  const message = `${name} must be ${expects}, but it is ${value}.`
  return { file, line: toml.lineOf(name), key: name, message }
}

function unknownFault(name: string, toml: TomlFile, file: string): ConfigFault {
  const line = toml.lineOf(name)
  if (keyInfo(name) !== undefined || keysIn(name).length > 0)
    return { file, line, key: name, message: `${name} is in quotes; write it without them.` }
  const suggestion = suggestKey(name)
  const advice = suggestion
    ? `did you mean ${suggestion}?`
    : "remove it; `reverie config get` lists all settings."
  return { file, line, key: name, message: `${name} is not a setting; ${advice}` }
}

/** The key or table that a mistyped name most likely means; never the name itself. */
export function suggestKey(name: string): string | undefined {
  const names = new Set(allKeys().flatMap((key) => [key.name, key.table]))
  names.delete(name)
  return closest(name, [...names])
}

/** The names of the keys in a table and in the tables in it; empty if there is no such table. */
export function keysIn(table: string): string[] {
  return allKeys().flatMap(({ name }) => (name.startsWith(`${table}.`) ? [name] : []))
}

/** The metadata of one key; undefined if it does not exist. */
export function keyInfo(name: string): KeyInfo | undefined {
  return allKeys().find((key) => key.name === name)
}

/** An error as one sentence with file, line, key and fix. */
export function faultText(fault: ConfigFault): string {
  return `${fault.file}${fault.line === undefined ? "" : `, line ${fault.line}`}: ${fault.message}`
}

/** The first of several errors, and the command that shows all: those of a project's file if they are in its `root`. */
function faultError(faults: ConfigFault[], root?: string): UserError {
  const [first] = faults
  const command = `reverie config validate${root === undefined ? "" : ` --project ${shellQuoted(root)}`}`
  const rest = faults.length > 1 ? ` (${faults.length - 1} more: run \`${command}\`.)` : ""
  return new UserError("config", first ? faultText(first) + rest : "The configuration is wrong.")
}
