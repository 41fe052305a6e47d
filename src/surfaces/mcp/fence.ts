import { escapeTags } from "../../base/text/escape-tags.ts"
import { memoryTag } from "../../llm/fence.ts"

/** The first and the last field of a structured answer: by them it is known again in a transcript, and never learned as new. */
export const edges = { begin: `<${memoryTag}>`, end: `</${memoryTag}>` } as const

/** A structured answer in which no text but its first and last field can be read as an edge of the fence. */
export function fencedValue<T extends object>(value: T): T {
  const fields = Object.entries(value).map(([name, one]) => [name, name in edges ? one : escaped(one)])
  return Object.fromEntries(fields) as T
}

function escaped(value: unknown): unknown {
  if (typeof value === "string") return escapeTags(value, [memoryTag])
  if (Array.isArray(value)) return value.map(escaped)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, escaped(one)]))
}
