import { type JsonArray, type JsonNode, type JsonObject, parseJsonTree, skip } from "./json-tree.ts"

/** A path in JSON: names of members and indexes of items. */
export type JsonPath = readonly (string | number)[]

/** The JSON has another value where an object or a list is expected. */
export class UnexpectedShape extends Error {
  readonly path: JsonPath
  constructor(path: JsonPath) {
    super(`${path.join(".") || "the whole"} has an unexpected form`)
    this.path = path
  }
}

/** The node at a path; undefined if there is none. */
export function nodeAt(root: JsonNode, path: JsonPath): JsonNode | undefined {
  let node: JsonNode | undefined = root
  for (const step of path) node = childOf(node, step)
  return node
}

function childOf(node: JsonNode | undefined, step: string | number): JsonNode | undefined {
  if (node?.kind === "object") return node.members.findLast(({ name }) => name === step)?.value
  return node?.kind === "array" && typeof step === "number" ? node.items[step] : undefined
}

/** Sets a member and creates the objects above it. The rest of the text keeps its layout and comments. */
export function setMember(text: string, path: readonly string[], value: unknown): string {
  const root = parseJsonTree(text)
  const node = nodeAt(root, path)
  if (node !== undefined) {
    const write = writer(text, indentAt(text, node.start), !text.slice(0, node.start).includes("\n"))
    return text.slice(0, node.start) + write(value) + text.slice(node.end)
  }
  const depth = path.findIndex((_, index) => nodeAt(root, path.slice(0, index + 1)) === undefined)
  const holder = nodeAt(root, path.slice(0, depth))
  if (holder?.kind !== "object") throw new UnexpectedShape(path.slice(0, depth))
  const inner = path.slice(depth + 1).reduceRight((part: unknown, name) => ({ [name]: part }), value)
  return insertLast(text, holder, (write) => `${JSON.stringify(path[depth])}: ${write(inner)}`)
}

/** Appends an item to an existing list. */
export function appendItem(text: string, path: JsonPath, value: unknown): string {
  const list = nodeAt(parseJsonTree(text), path)
  if (list?.kind !== "array") throw new UnexpectedShape(path)
  return insertLast(text, list, (write) => write(value))
}

/** Removes a member or an item, with its comma and its line. */
export function removeAt(text: string, path: JsonPath): string {
  const holder = nodeAt(parseJsonTree(text), path.slice(0, -1))
  const parts = partsOf(holder)
  const index = indexOf(holder, path.at(-1))
  const part = parts[index]
  if (holder === undefined || part === undefined) return text
  const before = parts[index - 1]
  // From the end of the line before it, so that its own line goes too.
  const from = part.start - (/\s*$/.exec(text.slice(holder.start + 1, part.start))?.[0].length ?? 0)
  const comma = skip(text, part.end)
  const hasComma = text[comma] === ","
  const until = hasComma ? comma + 1 : part.end
  let head = text.slice(0, from)
  if (!hasComma && before) head = withoutComma(head, before.end)
  const rest = text.slice(until)
  const isEmpty = parts.length === 1 && head.length === holder.start + 1
  return head + (isEmpty ? rest.trimStart() : rest)
}

/** Removes the object or list at a path if it is empty, or what is `above` levels above it. */
export function removeIfEmpty(text: string, path: JsonPath, above = 0): string {
  const node = nodeAt(parseJsonTree(text), path)
  const isEmpty = node !== undefined && node.kind !== "value" && partsOf(node).length === 0
  return isEmpty ? removeAt(text, path.slice(0, path.length - above)) : text
}

function partsOf(holder: JsonNode | undefined): readonly { start: number; end: number }[] {
  if (holder?.kind === "object") return holder.members
  return holder?.kind === "array" ? holder.items : []
}

function indexOf(holder: JsonNode | undefined, step: string | number | undefined): number {
  if (holder?.kind === "object") return holder.members.findLastIndex(({ name }) => name === step)
  return typeof step === "number" ? step : -1
}

function withoutComma(text: string, from: number): string {
  const comma = skip(text, from)
  return text[comma] === "," ? text.slice(0, comma) + text.slice(comma + 1) : text
}

type Write = (value: unknown) => string

/** Adds a part after all others between two brackets, in the layout that the text has there. */
function insertLast(text: string, holder: JsonObject | JsonArray, part: (write: Write) => string): string {
  const last = partsOf(holder).at(-1)
  const newline = text.includes("\r\n") ? "\r\n" : "\n"
  if (last === undefined) return insertFirst(text, holder, newline, part)
  const isInline = !text.slice(holder.start, last.start).includes("\n")
  const indent = indentAt(text, last.start)
  const lead = isInline ? spaceAfterComma(text) : newline + indent
  const written = lead + part(writer(text, indent, isInline))
  const comma = skip(text, last.end)
  // A trailing comma stays trailing.
  if (text[comma] === ",") {
    const at = endOfLineComment(text, comma + 1)
    return `${text.slice(0, at)}${written},${text.slice(at)}`
  }
  const at = endOfLineComment(text, last.end)
  return `${text.slice(0, last.end)},${text.slice(last.end, at)}${written}${text.slice(at)}`
}

function insertFirst(
  text: string,
  holder: JsonObject | JsonArray,
  newline: string,
  part: (write: Write) => string,
): string {
  const inside = text.slice(holder.start + 1, holder.end - 1).trimEnd()
  const outer = indentAt(text, holder.start)
  const isInline = holder.start > 0 && !text.trim().includes("\n")
  const indent = outer + indentUnit(text)
  const written = part(writer(text, indent, isInline))
  const body = isInline ? written : `${newline}${indent}${written}${newline}${outer}`
  return text.slice(0, holder.start + 1) + inside + body + text.slice(holder.end - 1)
}

/** The position after a comment on the same line. */
function endOfLineComment(text: string, from: number): number {
  const comment = /[ \t]*(?:\/\/[^\n\r]*|\/\*[^\n]*?\*\/)/y
  comment.lastIndex = from
  return comment.test(text) ? comment.lastIndex : from
}

function writer(text: string, indent: string, isInline: boolean): Write {
  if (isInline) return (value) => JSON.stringify(value)
  const newline = text.includes("\r\n") ? "\r\n" : "\n"
  return (value) => JSON.stringify(value, null, indentUnit(text)).replaceAll("\n", newline + indent)
}

function spaceAfterComma(text: string): string {
  return /,[^\s]/.test(text) ? "" : " "
}

/** The indentation of the line at a position. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at)
  return /^[ \t]*/.exec(line)?.[0] ?? ""
}

/** One level of indentation in this text. */
function indentUnit(text: string): string {
  return /\n([ \t]+)["[{\]]/.exec(text)?.[1] ?? "  "
}
