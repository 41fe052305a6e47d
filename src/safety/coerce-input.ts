import { tryParseJson } from "../base/text/json.ts"

type Schema = Record<string, unknown>

/**
 * Models sometimes write numbers, booleans and whole objects as text. Where the schema wants another type and the text
 * is one, it is converted. Everything else stays as it is, for the schema to check.
 */
export function coerceInput(schema: Schema, value: unknown): unknown {
  const types = typesOf(schema)
  const read = typeof value === "string" ? readText(value, types) : value
  const { items, properties } = schema
  if (Array.isArray(read) && isRecord(items)) return read.map((item) => coerceInput(items, item))
  if (isRecord(read) && isRecord(properties)) {
    const fitOne = (key: string, item: unknown) => {
      const inner = properties[key]
      return isRecord(inner) ? coerceInput(inner, item) : item
    }
    return Object.fromEntries(Object.entries(read).map(([key, item]) => [key, fitOne(key, item)]))
  }
  return read
}

function typesOf(schema: Schema): string[] {
  const { type, anyOf } = schema
  const own = [type].flat().filter((one) => typeof one === "string")
  const others = Array.isArray(anyOf) ? anyOf.filter(isRecord).flatMap(typesOf) : []
  return [...own, ...others]
}

function readText(text: string, types: readonly string[]): unknown {
  if (types.length === 0 || types.includes("string")) return text
  const trimmed = text.trim()
  const wantsNumber = types.includes("number") || types.includes("integer")
  if (wantsNumber && trimmed !== "" && Number.isFinite(Number(trimmed))) return Number(trimmed)
  if (types.includes("boolean") && /^(true|false)$/i.test(trimmed)) return trimmed.toLowerCase() === "true"
  if (types.includes("null") && /^(null|none)?$/i.test(trimmed)) return null
  if (types.includes("object") || types.includes("array")) {
    const value = tryParseJson(trimmed)
    return typeof value === "object" && value !== null ? value : text
  }
  return text
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
