import { z } from "zod"
import type { Phase } from "../../sessions/session.ts"
import type { RawTurn, Redact } from "../sessions/session-source.ts"
import { describeCall } from "../sessions/tool-call.ts"

/** One message of opencode's, with the parts it is made of, in their order. */
export interface OpencodeMessage {
  data: unknown
  parts: readonly { id: string; data: unknown }[]
}

const messageSchema = z.object({
  role: z.string(),
  time: z.object({ created: z.number(), completed: z.number().nullish() }),
  /** A summary of what was left out, not something said. */
  summary: z.unknown().optional(),
  error: z.unknown().optional(),
})
const textPart = z.object({
  type: z.literal("text"),
  text: z.string(),
  synthetic: z.boolean().nullish(),
  ignored: z.boolean().nullish(),
})
const toolPart = z.object({
  type: z.literal("tool"),
  tool: z.string(),
  state: z.object({
    status: z.string(),
    input: z.unknown().optional(),
    output: z.string().optional(),
    error: z.string().optional(),
  }),
})

/** What was said in a message; one that is still being written says nothing yet. */
export function readOpencodeMessage(
  message: OpencodeMessage,
  redact: Redact,
): { turns: RawTurn[]; phase: Phase; isWhole: boolean } {
  const parsed = messageSchema.safeParse(message.data)
  if (!parsed.success) return { turns: [], phase: "waiting", isWhole: true }
  const { role, time, summary, error } = parsed.data
  const isWhole = role !== "assistant" || time.completed != null || error !== undefined
  const isNoise = (role !== "user" && role !== "assistant") || summary === true
  const turns =
    isNoise || !isWhole ? [] : message.parts.flatMap((part) => readPart(part, role, time.created, redact))
  const calls = turns.some((turn) => turn.role === "tool")
  return { turns, phase: role === "user" || !isWhole || calls ? "working" : "waiting", isWhole }
}

function readPart(
  { id, data }: OpencodeMessage["parts"][number],
  role: "user" | "assistant",
  at: number,
  redact: Redact,
): RawTurn[] {
  const text = textPart.safeParse(data)
  if (text.success) {
    const isSaid = !text.data.synthetic && !text.data.ignored && text.data.text.trim() !== ""
    return isSaid ? [{ key: id, role, at, text: text.data.text }] : []
  }
  const call = toolPart.safeParse(data)
  if (!call.success) return []
  const { tool, state } = call.data
  const said = state.output ?? state.error
  if (said === undefined) return []
  return [
    {
      key: id,
      role: "tool",
      at,
      text: said,
      ...describeCall(tool, state.input, redact),
      isError: state.status === "error",
    },
  ]
}
