import { messageOf } from "../../../base/errors.ts"
import { parseJson } from "../../../base/text/json.ts"
import { parseToml } from "../../../config/toml.ts"
import { parseJsonTree } from "./json-tree.ts"

/** Entries of ours in another tool's settings file. */
export interface SettingsPart {
  /** What it is called in messages, in the singular. */
  name: string
  /** Set for the MCP server, which is optional. */
  isServer?: true
  /** The text with these entries instead of older ones; the same text if they are already there. */
  add(text: string): string
  /** The text without entries of any version. */
  remove(text: string): string
  /** The programs, addresses and files that our entries in the text point to. */
  find(text: string): string[]
  /** The hooks of this version that an existing connection lacks. */
  missing?(text: string): string[]
}

/** A settings file of another tool that contains entries of ours. */
export interface SettingsFile {
  file: string
  /** The text of a file without settings. */
  empty: string
  /** Why a text cannot be edited; undefined if it can. */
  problemWith(text: string): string | undefined
  parts: readonly SettingsPart[]
  /** Whether a connection works without it. */
  isOptional?: true
}

/** A file that its tool reads as plain JSON. */
export function jsonFile(file: string, parts: readonly SettingsPart[]): SettingsFile {
  return { file, empty: "{}\n", parts, problemWith: (text) => faultIn(() => parseJson(text)) }
}

/** A file that its tool reads as JSON with comments. */
export function commentedJsonFile(file: string, parts: readonly SettingsPart[]): SettingsFile {
  const problemWith = (text: string) => {
    const fault = faultIn(() => parseJsonTree(text))
    return fault && `it is not valid JSON: ${fault}`
  }
  return { file, empty: "{}\n", parts, problemWith }
}

function faultIn(read: () => unknown): string | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

/** A file of TOML. */
export function tomlFile(file: string, parts: readonly SettingsPart[]): SettingsFile {
  return { file, empty: "", parts, problemWith: faultInToml }
}

function faultInToml(text: string): string | undefined {
  const parsed = parseToml(text)
  if ("file" in parsed) return undefined
  const { line, message } = parsed.fault
  return `it is not valid TOML${line === undefined ? "" : ` (line ${line}: ${message})`}`
}

/** A file that is entirely ours. A file of the same name without our mark is not touched. */
export function ownFile(file: string, mark: string, content: string, name: string): SettingsFile {
  const part: SettingsPart = {
    name,
    add: () => content,
    remove: () => "",
    find: (text) => (text.includes(mark) ? [file] : []),
  }
  const problemWith = (text: string) =>
    text === "" || text.includes(mark) ? undefined : "it is not Reverie's, although it has that name"
  return { file, empty: "", parts: [part], problemWith }
}

/** The text with all our entries. */
export function addOurs({ parts }: SettingsFile, text: string): string {
  return parts.reduce((edited, part) => part.add(edited), text)
}

/** The text without our entries. */
export function removeOurs({ parts }: SettingsFile, text: string): string {
  return parts.reduceRight((edited, part) => part.remove(edited), text)
}

/** Everything that our entries in the text point to. */
export function findOurs({ parts }: SettingsFile, text: string): string[] {
  return parts.flatMap((part) => part.find(text))
}
