import type { Clock } from "../base/clock.ts"
import { withTimeout } from "../base/with-timeout.ts"
import type { Answer, Message, Question, Spent, ToolCall, ToolResult, ToolShape } from "./choice/access.ts"
import { compact, estimateTokens } from "./compact.ts"
import type { Failure } from "./failure.ts"

/** The limits of one conversation. */
interface Limits {
  /** Turns of the model with tool calls; one more turn is allowed for the answer. */
  steps: number
  /** Tool calls in total. */
  calls: number
  /** Input and output tokens over all turns. A hard stop. */
  tokens: number
  wallMs: number
}

export interface Conversation {
  model: string
  /** The model's context window in tokens. */
  context: number
  system: string
  messages: readonly Message[]
  tools: readonly ToolShape[]
  /** Runs or refuses one tool call; never throws. `safety/dispatch.ts` decides. */
  dispatch(call: ToolCall, signal: AbortSignal): Promise<DispatchResult>
  limits: Limits
  maxOutputTokens: number
  signal: AbortSignal
  /** Whether the first answer must be a tool call. */
  mustCall?: boolean
  /** Called with every new message, for transcripts. */
  onMessage?(message: Message): Promise<void> | void
}

/** The result of one tool call; `ends` closes the conversation. */
export interface DispatchResult {
  result: ToolResult
  ends: boolean
}

/** Why a conversation ended. */
type End =
  /** The model gave its answer. */
  | { reason: "answered" }
  /** A tool ended it. */
  | { reason: "ended-by-tool"; tool: string }
  /** The answer reached its maximum length, or a filter stopped it. */
  | { reason: "cut-off" }
  | { reason: "tokens" | "time" | "aborted" }
  | { reason: "failed"; failure: Failure }

/** The result of a conversation. Failures are part of it: nothing that a model or a tool does is thrown. */
export interface ConversationResult {
  end: End
  /** The last text of the model. */
  text: string
  messages: Message[]
  steps: number
  calls: number
  compactions: number
  spent: Spent
}

/** Share of the context at which older turns are summarised. */
const fullShare = 0.8

/** Holds one bounded conversation: asks, runs tools and asks again, until it ends or reaches a limit. */
export async function converse(
  { clock, ask }: { clock: Clock; ask(question: Question): Promise<Answer> },
  conversation: Conversation,
): Promise<ConversationResult> {
  const { messages, limits, signal: outer } = conversation
  return withTimeout(clock, limits.wallMs, outer, async (signal, isTimeUp) => {
    const run: Run = {
      text: "",
      messages: [...messages],
      steps: 0,
      calls: 0,
      compactions: 0,
      spent: { input: 0, cachedInput: 0, output: 0, costUsd: null },
      size: estimateTokens(messages),
      isLast: false,
      ask,
      signal,
      isTimeUp,
    }
    for (;;) {
      const end = await turn(conversation, run)
      if (end) return finish(run, end)
    }
  })
}

interface Run extends Omit<ConversationResult, "end"> {
  ask(question: Question): Promise<Answer>
  signal: AbortSignal
  isTimeUp(): boolean
  /** Tokens in the context after the last turn. */
  size: number
  /** The tool budget is used up, and the model was informed. */
  isLast: boolean
}

/** Asks once and handles the answer. Returns why the conversation ended; undefined while it continues. */
async function turn(conversation: Conversation, run: Run): Promise<End | undefined> {
  if (run.signal.aborted) return stopped(run)
  if (tokensLeft(conversation, run) <= 0) return { reason: "tokens" }
  if (run.size > conversation.context * fullShare) await compactRun(conversation, run)
  const answer = await askOnce(conversation, run)
  addSpent(run, answer)
  if (answer.outcome === "failed")
    return run.signal.aborted ? stopped(run) : { reason: "failed", failure: answer.failure }
  run.text = answer.text
  run.size = answer.spent.input + answer.spent.output
  const { text, calls, native } = answer
  await addMessage(conversation, run, {
    role: "assistant",
    text,
    calls,
    ...(native === undefined ? {} : { native }),
  })
  if (answer.finish === "filtered" || (answer.finish === "length" && calls.length === 0))
    return { reason: "cut-off" }
  if (calls.length === 0) return { reason: "answered" }
  return runTools(conversation, run, calls)
}

function stopped(run: Run): End {
  return { reason: run.isTimeUp() ? "time" : "aborted" }
}

/** Asks. If the context turns out to be full, it is compacted and the model is asked again, once. */
async function askOnce(conversation: Conversation, run: Run): Promise<Answer> {
  const answer = await run.ask(question(conversation, run))
  if (answer.outcome !== "failed" || answer.failure.kind !== "context-full") return answer
  const before = run.size
  await compactRun(conversation, run)
  return run.size < before ? await run.ask(question(conversation, run)) : answer
}

function question(conversation: Conversation, run: Run): Question {
  const { model, system, tools, maxOutputTokens, mustCall } = conversation
  return {
    model,
    system,
    messages: run.messages,
    tools,
    toolChoice: run.isLast ? "none" : mustCall && run.steps === 0 ? "required" : "auto",
    maxOutputTokens: Math.min(maxOutputTokens, Math.max(1, tokensLeft(conversation, run))),
    signal: run.signal,
  }
}

async function compactRun(conversation: Conversation, run: Run): Promise<void> {
  const { messages, signal } = run
  const compacted = await compact(run.ask, { ...conversation, messages, signal })
  if (compacted.answer) addSpent(run, compacted.answer)
  run.messages = compacted.messages
  run.size = estimateTokens(run.messages)
  run.compactions += 1
}

/** Runs the calls of one turn in order. Calls beyond the budget get an error as their result. */
async function runTools(
  conversation: Conversation,
  run: Run,
  calls: readonly ToolCall[],
): Promise<End | undefined> {
  const { limits } = conversation
  const results: ToolResult[] = []
  let ended: string | undefined
  run.steps += 1
  for (const call of calls) {
    if (run.isLast || run.calls >= limits.calls || ended !== undefined || run.signal.aborted) {
      results.push(notRun(call, ended === undefined ? "The budget for tools is used up." : "It is over."))
      continue
    }
    run.calls += 1
    const { result, ends } = await conversation.dispatch(call, run.signal)
    results.push(result)
    if (ends) ended = call.name
  }
  await addMessage(conversation, run, { role: "tool", results })
  run.size += estimateTokens([{ role: "tool", results }])
  if (ended !== undefined) return { reason: "ended-by-tool", tool: ended }
  if (run.signal.aborted) return stopped(run)
  if (run.isLast) return { reason: "answered" }
  if (run.steps >= limits.steps || run.calls >= limits.calls) {
    run.isLast = true
    await addMessage(conversation, run, { role: "user", text: lastTurnNote })
  }
  return undefined
}

const lastTurnNote =
  "Your budget for tools is used up. Give your final answer now, from what you know; no tool will run any more."

function notRun({ id, name }: ToolCall, why: string): ToolResult {
  return { callId: id, name, text: `Not run: ${why}`, isError: true }
}

async function addMessage(conversation: Conversation, run: Run, message: Message): Promise<void> {
  run.messages.push(message)
  await conversation.onMessage?.(message)
}

function tokensLeft({ limits }: Conversation, { spent }: Run): number {
  return limits.tokens - spent.input - spent.output
}

function addSpent(run: Run, { spent }: Answer): void {
  if (spent === null) return
  const costUsd = spent.costUsd === null ? run.spent.costUsd : (run.spent.costUsd ?? 0) + spent.costUsd
  run.spent = {
    input: run.spent.input + spent.input,
    cachedInput: run.spent.cachedInput + spent.cachedInput,
    output: run.spent.output + spent.output,
    costUsd,
  }
}

function finish(run: Run, end: End): ConversationResult {
  const { text, messages, steps, calls, compactions, spent } = run
  return { end, text, messages, steps, calls, compactions, spent }
}
