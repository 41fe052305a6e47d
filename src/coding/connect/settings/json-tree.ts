/** A value in a JSON text, with its position. */
export type JsonNode = JsonObject | JsonArray | JsonValue

interface Span {
  start: number
  /** The position after its last character. */
  end: number
}
export interface JsonObject extends Span {
  kind: "object"
  members: JsonMember[]
}
export interface JsonArray extends Span {
  kind: "array"
  items: JsonNode[]
}
interface JsonValue extends Span {
  kind: "value"
  value: unknown
}
/** A name and its value; it starts at the name. */
interface JsonMember extends Span {
  name: string
  value: JsonNode
}

/** Parses JSON with positions. Comments and trailing commas are allowed, as in editors. */
export function parseJsonTree(text: string): JsonNode {
  const at = skip(text, text.startsWith("\ufeff") ? 1 : 0)
  const root = readNode(text, at)
  const rest = skip(text, root.end)
  if (rest < text.length) throw fault(text, rest)
  return root
}

/** The first position from here on that is neither whitespace nor comment. */
export function skip(text: string, from: number): number {
  const space = /(?:[ \t\r\n]+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y
  space.lastIndex = from
  space.test(text)
  return space.lastIndex
}

/** The plain value of a node. */
export function plainValue(node: JsonNode | undefined): unknown {
  if (node === undefined) return undefined
  if (node.kind === "value") return node.value
  if (node.kind === "array") return node.items.map(plainValue)
  return Object.fromEntries(node.members.map(({ name, value }) => [name, plainValue(value)]))
}

function readNode(text: string, at: number): JsonNode {
  if (text[at] === "{") return readObject(text, at)
  if (text[at] === "[") return readArray(text, at)
  const scalar = /"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/y
  scalar.lastIndex = at
  const [found] = scalar.exec(text) ?? []
  if (found === undefined) throw fault(text, at)
  return { kind: "value", start: at, end: at + found.length, value: parseScalar(text, at, found) }
}

function parseScalar(text: string, at: number, found: string): unknown {
  try {
    return JSON.parse(found)
  } catch {
    throw fault(text, at)
  }
}

function readObject(text: string, start: number): JsonObject {
  const members: JsonMember[] = []
  const end = readList(text, start, "}", (at) => {
    const key = readNode(text, at)
    if (key.kind !== "value" || typeof key.value !== "string") throw fault(text, at)
    const colon = skip(text, key.end)
    if (text[colon] !== ":") throw fault(text, colon)
    const value = readNode(text, skip(text, colon + 1))
    members.push({ name: key.value, start: at, end: value.end, value })
    return value.end
  })
  return { kind: "object", start, end, members }
}

function readArray(text: string, start: number): JsonArray {
  const items: JsonNode[] = []
  const end = readList(text, start, "]", (at) => {
    const item = readNode(text, at)
    items.push(item)
    return item.end
  })
  return { kind: "array", start, end, items }
}

/** Reads a comma-separated list between two brackets; returns the position after the closing one. */
function readList(text: string, start: number, closing: string, readOne: (at: number) => number): number {
  let at = skip(text, start + 1)
  while (text[at] !== closing) {
    at = skip(text, readOne(at))
    if (text[at] === closing) break
    if (text[at] !== ",") throw fault(text, at)
    at = skip(text, at + 1)
  }
  return at + 1
}

function fault(text: string, at: number): SyntaxError {
  const line = text.slice(0, at).split("\n").length
  return new SyntaxError(at >= text.length ? "it ends too early" : `line ${line} cannot be read`)
}
