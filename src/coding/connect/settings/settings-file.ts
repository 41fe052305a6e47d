import { isDeepStrictEqual } from "node:util"
import { messageOf } from "../../../base/errors.ts"
import { parseJson } from "../../../base/text/json.ts"
import { parseToml } from "../../../config/toml.ts"
import { parseJsonTree } from "./json-tree.ts"

/** One thing of ours in the settings of another tool. */
export interface Part {
  /** What it is, for people: one of how many. */
  name: string
  /** It is the MCP server, which a connection may do without. */
  isServer?: true
  /** The text with this in it, and nothing of ours that is older. The same text where it is there already. */
  add(text: string): string
  /** The text without it, whatever form of it is there. */
  remove(text: string): string
  /** What of ours stands in the text: the commands, addresses and files it leads to. */
  find(text: string): string[]
  /** What a connection of this version has besides what of ours stands there. */
  lacks?(text: string): string[]
}

/** A file of another tool's that we stand in. */
export interface SettingsFile {
  file: string
  /** Where nothing is set. */
  empty: string
  /** Why a text cannot be edited; undefined where it can. */
  faultOf(text: string): string | undefined
  parts: readonly Part[]
  /** A connection works without it. */
  isBesides?: true
}

/** A file that its tool reads as plain JSON. */
export function jsonFile(file: string, parts: readonly Part[]): SettingsFile {
  return { file, empty: "{}\n", parts, faultOf: (text) => faultIn(() => parseJson(text)) }
}

/** A file that its tool reads as JSON with comments. */
export function commentedJsonFile(file: string, parts: readonly Part[]): SettingsFile {
  const faultOf = (text: string) =>
    faultIn(() => {
      parseJsonTree(text)
    })
  return { file, empty: "{}\n", parts, faultOf: (text) => prefixed("it is not valid JSON: ", faultOf(text)) }
}

function faultIn(read: () => unknown): string | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

function prefixed(prefix: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : prefix + text
}

/** A file of TOML. */
export function tomlFile(file: string, parts: readonly Part[]): SettingsFile {
  return { file, empty: "", parts, faultOf: faultInToml }
}

function faultInToml(text: string): string | undefined {
  const parsed = parseToml(text)
  if ("file" in parsed) return undefined
  const { line, message } = parsed.fault
  return `it is not valid TOML${line === undefined ? "" : ` (line ${line}: ${message})`}`
}

/** A file that is ours as a whole; one of the same name without our mark is not touched. */
export function ownFile(file: string, mark: string, content: string, name: string): SettingsFile {
  const part: Part = {
    name,
    add: () => content,
    remove: () => "",
    find: (text) => (text.includes(mark) ? [file] : []),
  }
  const faultOf = (text: string) =>
    text === "" || text.includes(mark) ? undefined : "it is not Reverie's, though it has that name"
  return { file, empty: "", parts: [part], faultOf }
}

/** The text with all parts of a connection in it. */
export function withOurs({ parts }: SettingsFile, text: string): string {
  return parts.reduce((edited, part) => part.add(edited), text)
}

/** The text without any of them. */
export function withoutOurs({ parts }: SettingsFile, text: string): string {
  return parts.reduceRight((edited, part) => part.remove(edited), text)
}

/** What of ours stands in the text. */
export function oursIn({ parts }: SettingsFile, text: string): string[] {
  return parts.flatMap((part) => part.find(text))
}

/** Whether two plain values are the same. */
export function isSame(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a, b)
}
