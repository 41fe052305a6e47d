import { parseDocument, patch } from "@decimalturn/toml-patch"
import { messageOf } from "../base/errors.ts"

/** A parsed TOML file that still knows on which line each key stands. */
export interface TomlFile {
  values: Record<string, unknown>
  /** The line (from 1) of a dotted key or table; undefined if the file does not have it. */
  lineOf(name: string): number | undefined
  /** The tables and items of lists of tables, in their order. */
  tables: readonly TomlTable[]
}

/** A table as it stands in a text. Comments behind its last value are the next one's. */
interface TomlTable {
  name: readonly string[]
  /** The line of its header and that of its last value, from 1. */
  first: number
  last: number
}

/** What is wrong with a text that is not TOML, and on which line. */
export interface TomlFault {
  line: number | undefined
  message: string
}

/** Reads TOML; a broken text is an expected outcome, not an exception. */
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

/** Writes new values into an existing TOML text, keeping its comments and layout. */
export function editToml(text: string, values: Record<string, unknown>): string {
  return patch(text, values)
}

/** The parts of the parser's syntax tree that tell where keys stand. */
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

/** Settings are TABLE.KEY. A name of thousands of parts would take gigabytes to note in all its lengths. */
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

/** The parser's message ends with the reason, after an excerpt of the text. */
function lastLine(error: unknown): string {
  const text = error instanceof Error ? error.message : messageOf(error)
  return text.trim().split("\n").at(-1)?.trim() ?? "it is not valid TOML"
}
