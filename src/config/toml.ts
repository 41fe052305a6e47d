import { parseDocument, patch } from "@decimalturn/toml-patch"
import { messageOf } from "../base/errors.ts"

/** A parsed TOML file with the line of each key. */
export interface TomlFile {
  values: Record<string, unknown>
  /** The line (from 1) of a dotted key or table; undefined if it is not in the file. */
  lineOf(name: string): number | undefined
  /** The tables and the items of arrays of tables, in order. */
  tables: readonly TomlTable[]
}

/** The position of a table. Comments after its last value belong to the next table. */
interface TomlTable {
  name: readonly string[]
  /** The line of its header and that of its last value, from 1. */
  first: number
  last: number
}

/** The syntax error of a text that is not TOML. */
export interface TomlFault {
  line: number | undefined
  message: string
}

/** Parses TOML. A syntax error is returned, not thrown. */
export function parseToml(text: string): { file: TomlFile } | { fault: TomlFault } {
  try {
    const document = parseDocument(text)
    const lines = keyLines(document.cst)
    const tables = tablesIn(document.cst)
    return { file: { values: document.toJsObject, lineOf: (name) => lines.get(name), tables } }
  } catch (error) {
    return { fault: { line: lineOfError(error), message: lastLine(error) } }
  }
}

/** The values of a TOML text; undefined if it cannot be parsed. */
export function tomlValues(text: string): Record<string, unknown> | undefined {
  const parsed = parseToml(text)
  return "file" in parsed ? parsed.file.values : undefined
}

/** Writes new values into a TOML text and keeps its comments and layout. */
export function editToml(text: string, values: Record<string, unknown>): string {
  return patch(text, values)
}

/** The parts of the parser's syntax tree that are used here. */
interface Block {
  type: string
  loc: { start: { line: number }; end: { line: number } }
  key?: { value?: string[]; item?: { value: string[] } }
  items?: unknown[]
}

function tablesIn(blocks: unknown): TomlTable[] {
  if (!Array.isArray(blocks)) return []
  return (blocks as Block[]).flatMap(({ key, loc, items = [] }) => {
    const name = key?.item?.value
    if (name === undefined) return []
    const values = (items as Block[]).filter(({ type }) => type === "KeyValue")
    return [{ name, first: loc.start.line, last: values.at(-1)?.loc.end.line ?? loc.start.line }]
  })
}

/** At most this many parts of a key are recorded, to bound memory for keys with thousands of parts. */
const deepestKey = 8

function keyLines(blocks: unknown, prefix: string[] = [], lines = new Map<string, number>()) {
  if (!Array.isArray(blocks)) return lines
  for (const block of blocks as Block[]) {
    const own = block.key?.item?.value ?? block.key?.value
    if (own === undefined) continue
    const name = [...prefix, ...own].slice(0, deepestKey)
    for (let depth = 1; depth <= name.length; depth += 1) {
      const part = name.slice(0, depth).join(".")
      if (!lines.has(part)) lines.set(part, block.loc.start.line)
    }
    if (prefix.length + own.length <= deepestKey) lines.set(name.join("."), block.loc.start.line)
    if (name.length < deepestKey) keyLines(block.items, name, lines)
  }
  return lines
}

function lineOfError(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null || !("line" in error)) return undefined
  return typeof error.line === "number" ? error.line : undefined
}

/** The reason is the last line of the parser's message, after an excerpt of the text. */
function lastLine(error: unknown): string {
  const text = error instanceof Error ? error.message : messageOf(error)
  return text.trim().split("\n").at(-1)?.trim() ?? "it is not valid TOML"
}
