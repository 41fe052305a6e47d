import { z } from "zod"
import type { Phase } from "../../sessions/session.ts"
import type { RawTurn, Redact } from "../sessions/session-source.ts"
import { describeCall } from "../sessions/tool-call.ts"

/** A message of opencode with its parts, in order. */
export interface OpencodeMessage {
  data: unknown
  parts: readonly { id: string; data: unknown }[]
}

const messageSchema = z.object({
  role: z.string(),
  time: z.object({ created: z.number(), completed: z.number().nullish() }),
  /** True for a summary of dropped messages. */
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

/** The turns of a message; an unfinished message has none yet. */
export function readOpencodeMessage(
  message: OpencodeMessage,
  redact: Redact,
): { turns: RawTurn[]; phase: Phase; isFinished: boolean } {
  const parsed = messageSchema.safeParse(message.data)
  if (!parsed.success) return { turns: [], phase: "waiting", isFinished: true }
  const { role, time, summary, error } = parsed.data
  const isFinished = role !== "assistant" || time.completed != null || error !== undefined
  const isNoise = (role !== "user" && role !== "assistant") || summary === true
  const turns =
    isNoise || !isFinished ? [] : message.parts.flatMap((part) => readPart(part, role, time.created, redact))
  const calls = turns.some((turn) => turn.role === "tool")
  return { turns, phase: role === "user" || !isFinished || calls ? "working" : "waiting", isFinished }
}

function readPart(
  { id, data }: OpencodeMessage["parts"][number],
  role: "user" | "assistant",
  at: number,
  redact: Redact,
): RawTurn[] {
  const text = textPart.safeParse(data)
  if (text.success) {
    const isSpoken = !text.data.synthetic && !text.data.ignored && text.data.text.trim() !== ""
    return isSpoken ? [{ key: id, role, at, text: text.data.text }] : []
  }
  const call = toolPart.safeParse(data)
  if (!call.success) return []
  const { tool, state } = call.data
  const output = state.output ?? state.error
  if (output === undefined) return []
  return [
    {
      key: id,
      role: "tool",
      at,
      text: output,
      ...describeCall(tool, state.input, redact),
      isError: state.status === "error",
    },
  ]
}
