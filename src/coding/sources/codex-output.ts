import { z } from "zod"
import { parseJsonLine } from "../reading/json-line.ts"
import { textOf } from "./content.ts"

const wrapped = z.object({
  output: z.string(),
  metadata: z.object({ exit_code: z.number().nullish() }).nullish(),
})
const structured = z.object({ content: z.unknown().optional(), success: z.boolean().nullish() })

/** The output of a Codex tool without its header, and whether the tool failed. */
export function readCodexOutput(output: unknown): { text: string; isError: boolean } {
  if (typeof output === "string") return readText(output)
  const parts = structured.safeParse(output)
  if (parts.success && parts.data.content !== undefined)
    return { text: textOf(parts.data.content), isError: parts.data.success === false }
  return { text: textOf(output), isError: false }
}

/** The longest header of an output. */
const longestHead = 500

function readText(output: string): { text: string; isError: boolean } {
  const json = output.startsWith("{") ? wrapped.safeParse(parseJsonLine(output)) : undefined
  if (json?.success) return { text: json.data.output, isError: (json.data.metadata?.exit_code ?? 0) !== 0 }
  const head = output.slice(0, longestHead)
  const exit = /^(?:Process exited with code|Exit code:) (-?\d+)/m.exec(head)?.[1]
  const body = /^Output:\n/m.exec(head)
  const text = exit !== undefined && body ? output.slice(body.index + body[0].length) : output
  return { text, isError: exit !== undefined && exit !== "0" }
}
