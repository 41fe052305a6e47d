import { z } from "zod"
import { failedAnswer, type Spent } from "../choice/access.ts"
import type { Failure } from "../failure.ts"
import { codexReading, codexWindow } from "../limits/codex-window.ts"
import type { LimitReading } from "../limits/limit-reading.ts"
import { codexFailure } from "./codex-failure.ts"
import { type AskedQuestion, jsonLines, type ProgramOutput, readAnswer } from "./read-answer.ts"

const count = z.number().nonnegative().catch(0)
const usage = z.object({ input_tokens: count, cached_input_tokens: count, output_tokens: count })
const event = z.discriminatedUnion("type", [
  z.object({ type: z.literal("thread.started"), thread_id: z.string() }),
  z.object({
    type: z.literal("item.completed"),
    item: z.object({ type: z.string(), text: z.string().catch("") }),
  }),
  z.object({ type: z.literal("turn.completed"), usage }),
  z.object({ type: z.literal("turn.failed"), error: z.object({ message: z.string() }) }),
])

/** The session id of a `codex exec --json` run, if it got that far. */
export function threadOf(stdout: string): string | undefined {
  for (const line of jsonLines(stdout)) {
    if (line.type === "thread.started" && typeof line.thread_id === "string") return line.thread_id
  }
  return undefined
}

/** Parses the program's output and the session it recorded. The answer is undefined if the run did not finish. */
export function readCodex(
  { stdout, session }: { stdout: string; session: string },
  { asked, at }: { asked: AskedQuestion; at: number },
): ProgramOutput {
  const { text, used, error } = gatherEvents(stdout)
  const recorded = readSession(session, at)
  const { readings } = recorded
  const spent = used ?? recorded.spent
  if (error !== undefined) {
    const failure = codexFailure({ message: error, info: recorded.errorInfo, readings, model: asked.model })
    return { answer: failedAnswer(failure, spent, readings), readings }
  }
  if (used === undefined) return { answer: undefined, readings }
  const output = asked.structured ? readAnswer(text, asked.messages) : { text: text.trim(), calls: [] }
  if (output.text === "" && output.calls.length === 0) {
    return { answer: failedAnswer(emptyAnswer, spent, readings), readings }
  }
  const finish = output.calls.length > 0 ? "calls" : "stop"
  const model = asked.model
  return { answer: { outcome: "answered", ...output, finish, spent: used, model, readings }, readings }
}

const emptyAnswer: Failure = { kind: "empty", message: "codex gave an empty answer; ask again." }

function gatherEvents(stdout: string): { text: string; used: Spent | undefined; error: string | undefined } {
  let text = ""
  let used: Spent | undefined
  let error: string | undefined
  for (const line of jsonLines(stdout)) {
    const { data } = event.safeParse(line)
    // Only the last message is the answer.
    if (data?.type === "item.completed" && data.item.type === "agent_message") text = data.item.text
    else if (data?.type === "turn.completed") used = spentOf(data.usage)
    else if (data?.type === "turn.failed") error = data.error.message
  }
  return { text, used, error }
}

function spentOf({ input_tokens, cached_input_tokens, output_tokens }: z.infer<typeof usage>): Spent {
  return { input: input_tokens, cachedInput: cached_input_tokens, output: output_tokens, costUsd: null }
}

const recordedEvent = z.object({
  type: z.literal("event_msg"),
  payload: z.discriminatedUnion("type", [
    z.object({
      type: z.literal("token_count"),
      info: z.object({ total_token_usage: usage }).nullish().catch(null),
      rate_limits: z
        .object({ primary: codexWindow.nullish().catch(null), secondary: codexWindow.nullish().catch(null) })
        .nullish()
        .catch(null),
    }),
    z.object({
      type: z.literal("task_complete"),
      error: z.object({ codex_error_info: z.unknown().optional() }).nullish().catch(null),
    }),
  ]),
})

/** Reads what the printed events omit from the recorded session: limits, and the kind of a failure. */
function readSession(session: string, at: number) {
  let readings: LimitReading[] = []
  let spent: Spent | null = null
  let errorInfo: unknown
  for (const line of jsonLines(session)) {
    const payload = recordedEvent.safeParse(line).data?.payload
    if (payload?.type === "token_count") {
      if (payload.info) spent = spentOf(payload.info.total_token_usage)
      const { primary, secondary } = payload.rate_limits ?? {}
      const windows = [primary, secondary].filter((one) => one !== null && one !== undefined)
      if (windows.length > 0) readings = windows.map((one) => codexReading(one, "window", at))
    } else if (payload?.type === "task_complete") {
      errorInfo = payload.error?.codex_error_info
    }
  }
  return { readings, spent, errorInfo }
}
