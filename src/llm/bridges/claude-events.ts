import { z } from "zod"
import { failedAnswer, type Spent } from "../choice/access.ts"
import type { Failure, FailureKind } from "../failure.ts"
import type { LimitReading } from "../limits/limit-reading.ts"
import { failureSentence } from "./program-messages.ts"
import {
  type AskedQuestion,
  jsonLines,
  type ProgramOutput,
  readAnswer,
  readStructured,
  withIds,
} from "./read-answer.ts"

/** The tool with which `claude --json-schema` returns a structured answer. */
const structuredOutputTool = "StructuredOutput"

const count = z.number().nonnegative().catch(0)
const usage = z.object({
  input_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  output_tokens: count,
})
const block = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("tool_use"), name: z.string(), input: z.unknown().optional() }),
  z.object({ type: z.string() }).transform(() => ({ type: "other" as const })),
])
const assistantEvent = z.object({
  type: z.literal("assistant"),
  message: z.object({ model: z.string(), content: z.array(block).catch([]) }),
  error: z.string().nullish(),
})
const resultEvent = z.object({
  type: z.literal("result"),
  is_error: z.boolean().catch(false),
  result: z.string().nullish().catch(null),
  stop_reason: z.string().nullish().catch(null),
  terminal_reason: z.string().nullish().catch(null),
  api_error_status: z.number().nullish().catch(null),
  api_error: z.string().nullish().catch(null),
  structured_output: z.unknown().optional(),
  usage: usage.nullish().catch(null),
})
const window = z.object({ utilization: z.number(), resetsAt: z.number().nullish() })
const rateLimitEvent = z.object({
  type: z.literal("rate_limit_event"),
  rate_limit_info: z.object({
    status: z.string(),
    resetsAt: z.number().nullish(),
    unifiedWindows: z.record(z.string(), window).catch({}),
  }),
})

/** The events of `claude -p --output-format stream-json`, complete or cut off. */
interface ClaudeRun {
  model: string | undefined
  texts: string[]
  calls: { name: string; input: unknown }[]
  structured: unknown
  /** The program's error code. */
  error: string | undefined
  result: z.infer<typeof resultEvent> | undefined
  readings: LimitReading[]
  retryAt: number | undefined
}

/** Parses the program's output. The answer is undefined if there was no result event. */
export function readClaude(
  stdout: string,
  { asked, at }: { asked: AskedQuestion; at: number },
): ProgramOutput {
  const run = gatherEvents(stdout, at)
  const { readings, result } = run
  if (result === undefined) return { answer: undefined, readings }
  const spent = spentOf(result.usage)
  const output = answerOf(run, asked)
  const isCut = run.error === "max_output_tokens" || result.stop_reason === "max_tokens"
  const isRefused = result.stop_reason === "refusal"
  const model = run.model ?? asked.model
  const answered = { outcome: "answered", spent, model, readings } as const
  if (isRefused) return { answer: { ...answered, text: "", calls: [], finish: "filtered" }, readings }
  if (isFailed(run) && !isCut) {
    return { answer: failedAnswer(failureOf(run, asked.model), spent, readings), readings }
  }
  if (output.text === "" && output.calls.length === 0) {
    return { answer: failedAnswer(isCut ? cutShort : emptyAnswer, spent, readings), readings }
  }
  const finish = isCut ? "length" : output.calls.length > 0 ? "calls" : "stop"
  return { answer: { ...answered, ...output, finish }, readings }
}

const emptyAnswer: Failure = { kind: "empty", message: "claude gave an empty answer; ask again." }
const cutShort: Failure = {
  kind: "empty",
  message: "claude used its whole output limit before it answered; allow more output.",
}

function gatherEvents(stdout: string, at: number): ClaudeRun {
  const run: ClaudeRun = {
    model: undefined,
    texts: [],
    calls: [],
    structured: undefined,
    error: undefined,
    result: undefined,
    readings: [],
    retryAt: undefined,
  }
  for (const line of jsonLines(stdout)) {
    const assistant = assistantEvent.safeParse(line)
    if (assistant.success) addAssistant(run, assistant.data)
    const limits = rateLimitEvent.safeParse(line)
    if (limits.success) addLimits(run, limits.data.rate_limit_info, at)
    const result = resultEvent.safeParse(line)
    if (result.success) run.result = result.data
  }
  return run
}

function addAssistant(run: ClaudeRun, { message, error }: z.infer<typeof assistantEvent>): void {
  // A message from the program instead of the model describes an error.
  if (error) run.error = error
  if (message.model === "<synthetic>") return
  run.model = message.model
  for (const part of message.content) {
    if (part.type === "text") run.texts.push(part.text)
    else if (part.type === "tool_use" && part.name === structuredOutputTool) run.structured = part.input
    else if (part.type === "tool_use") run.calls.push({ name: part.name, input: part.input })
  }
}

const hourMs = 3_600_000
const windowLengths: Record<string, { name: string; lengthMs: number }> = {
  five_hour: { name: "5h", lengthMs: 5 * hourMs },
  seven_day: { name: "7d", lengthMs: 7 * 24 * hourMs },
}

function addLimits(
  run: ClaudeRun,
  info: z.infer<typeof rateLimitEvent>["rate_limit_info"],
  at: number,
): void {
  if (info.status === "rejected" && info.resetsAt) run.retryAt = info.resetsAt * 1000
  const readings = Object.entries(info.unifiedWindows).map(([key, { utilization, resetsAt }]) => {
    const known = windowLengths[key] ?? (key.startsWith("seven_day_") ? sevenDaysOf(key) : undefined)
    return {
      window: known?.name ?? key,
      unit: "percent" as const,
      capacity: 100,
      used: utilization * 100,
      resetsAt: resetsAt ? resetsAt * 1000 : null,
      lengthMs: known?.lengthMs ?? null,
      at,
    }
  })
  if (readings.length > 0) run.readings = readings
}

/** A window for some models only: "seven_day_opus" is "7d-opus". */
function sevenDaysOf(key: string): { name: string; lengthMs: number } {
  return { name: `7d-${key.slice("seven_day_".length)}`, lengthMs: 7 * 24 * hourMs }
}

function spentOf(used: z.infer<typeof usage> | null | undefined): Spent {
  const { input_tokens = 0, cache_creation_input_tokens = 0, cache_read_input_tokens = 0 } = used ?? {}
  return {
    input: input_tokens + cache_creation_input_tokens + cache_read_input_tokens,
    cachedInput: cache_read_input_tokens,
    output: used?.output_tokens ?? 0,
    // The program reports what the API would have cost; a subscription has no cost per call.
    costUsd: null,
  }
}

function answerOf(run: ClaudeRun, asked: AskedQuestion) {
  const text = run.texts.join("\n\n").trim()
  if (!asked.structured) return { text, calls: [] }
  const output =
    readStructured(run.result?.structured_output ?? run.structured, asked.messages) ??
    readAnswer(text, asked.messages)
  return {
    text: output.text === "" ? plainTextOf(text, output.calls.length > 0) : output.text,
    // A model may call our tool by its name instead of naming it in its answer.
    calls: output.calls.length > 0 ? output.calls : withIds(run.calls, asked.messages),
  }
}

/** Text next to a structured answer counts, unless it is the same answer's JSON. */
function plainTextOf(text: string, hasCalls: boolean): string {
  return hasCalls && text.startsWith("{") ? "" : text
}

/** Reaching the one allowed turn is not a failure. */
function isFailed({ result, error }: ClaudeRun): boolean {
  if (result?.terminal_reason === "max_turns") return false
  return result?.is_error === true || error !== undefined
}

const names = {
  program: "claude",
  provider: "Anthropic",
  plan: "Claude",
  signInAgain: "claude is not signed in; run `claude` and enter /login.",
}
export const notSignedIn = names.signInAgain

/** Converts the program's error. */
function failureOf(run: ClaudeRun, model: string): Failure {
  const { result, retryAt } = run
  const status = result?.api_error_status ?? undefined
  const kind = kindOf(run)
  const details = { model, detail: result?.result ?? "", knowsWhen: retryAt !== undefined }
  return {
    kind,
    message: failureSentence(kind, names, details),
    ...(kind === "rate-limited" && retryAt !== undefined ? { retryAt } : {}),
    ...(status === undefined ? {} : { status }),
  }
}

const kindsByError: Record<string, FailureKind> = {
  authentication_failed: "auth",
  oauth_org_not_allowed: "auth",
  billing_error: "billing",
  rate_limit: "rate-limited",
  model_not_found: "unknown-model",
  server_error: "overloaded",
}

function kindOf({ result, error = "" }: ClaudeRun): FailureKind {
  if (result?.terminal_reason === "prompt_too_long") return "context-full"
  if (result?.api_error === "connection_failed") return "unreachable"
  return kindsByError[error] ?? ((result?.api_error_status ?? 0) >= 500 ? "overloaded" : "bad-request")
}
