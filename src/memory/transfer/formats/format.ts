import { UserError } from "../../../base/errors.ts"
import { tryParseJson } from "../../../base/text/json.ts"
import type { importFormats } from "../../model/kinds.ts"
import { beginsExport } from "../read-export.ts"

export type ImportFormat = Exclude<(typeof importFormats)[number], "auto">

/** Detects a file's format from its first lines. */
export function recogniseFormat(
  wanted: (typeof importFormats)[number],
  head: readonly string[],
): ImportFormat {
  if (wanted !== "auto") return wanted
  const [first = "", second = ""] = head.map((line) => line.trim()).filter((line) => line !== "")
  if (first.startsWith("[")) return "mem0"
  if (first.startsWith("{")) return formatOfJson(first, second)
  if (first === "" || /^(#{1,6}\s|---|[-*+]\s|\d+[.)]\s|<!--|>\s)/.test(first))
    return first === "" ? "jsonl" : "markdown"
  const advice = "give --format with one of reverie, jsonl, mcp, mem0, markdown."
  throw new UserError("usage", `Reverie does not recognise the file's format; ${advice}`)
}

function formatOfJson(first: string, second: string): ImportFormat {
  if (/^\{?\s*"results"\s*:/.test(first === "{" ? second : first)) return "mem0"
  if (/^\{?\s*"(entities|relations)"\s*:/.test(first === "{" ? second : first)) return "mcp"
  if (beginsExport(first)) return "reverie"
  const keys: Record<string, unknown> = Object(tryParseJson(first))
  if (keys.type === "entity" || keys.type === "relation") {
    if (keys.content === undefined) return "mcp"
  }
  const isMem0 =
    keys.content === undefined && ["memory", "text", "data"].some((name) => typeof keys[name] === "string")
  // A line with a text but no id is more likely malformed JSON Lines than mem0's.
  return isMem0 && keys.id !== undefined ? "mem0" : "jsonl"
}
