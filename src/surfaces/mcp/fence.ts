import { escapeTags } from "../../base/text/escape-tags.ts"
import { memoryTag } from "../../llm/fence.ts"

/** First and last field of a structured answer. They mark it in transcripts, so that it is never learned as new. */
export const fenceFields = { begin: `<${memoryTag}>`, end: `</${memoryTag}>` } as const

/** Escapes the fence tags in all other fields of a structured answer. */
export function fencedValue<T extends object>(value: T): T {
  const fields = Object.entries(value).map(([name, one]) => [name, name in fenceFields ? one : escaped(one)])
  return Object.fromEntries(fields) as T
}

function escaped(value: unknown): unknown {
  if (typeof value === "string") return escapeTags(value, [memoryTag])
  if (Array.isArray(value)) return value.map(escaped)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, escaped(one)]))
}
