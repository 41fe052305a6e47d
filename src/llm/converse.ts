import type { Clock } from "../base/clock.ts"
import { within } from "../base/within.ts"
import type { Answer, Message, Question, Spent, ToolCall, ToolResult, ToolShape } from "./choice/access.ts"
import { compact, estimateTokens } from "./compact.ts"
import type { Failure } from "./failure.ts"

/** How much one conversation may take. */
interface Limits {
  /** Turns of the model in which tools may be called; one more is granted to answer. */
  steps: number
  /** Tool calls in all. */
  calls: number
  /** Tokens in and out over all turns: a hard stop. */
  tokens: number
  wallMs: number
}

/** A conversation to be had. */
export interface Conversation {
  model: string
  /** Tokens the model takes at once. */
  context: number
  system: string
  messages: readonly Message[]
  tools: readonly ToolShape[]
  /** Runs one call of the model, or refuses it; never throws. Safety decides here (`safety/dispatch.ts`). */
  dispatch(call: ToolCall, signal: AbortSignal): Promise<Dispatched>
  limits: Limits
  maxOutputTokens: number
  signal: AbortSignal
  /** Whether the first answer must be a tool call. */
  mustCall?: boolean
  /** Every message as it comes, for transcripts and checkpoints. */
  onMessage?(message: Message): Promise<void> | void
}

/** What came of one call; `ends` closes the conversation. */
export interface Dispatched {
  result: ToolResult
  ends: boolean
}

/** What the policy around it decides. */
interface ConverseNeeds {
  clock: Clock
  ask(question: Question): Promise<Answer>
}

/** Why a conversation was over. */
type End =
  /** The model said what it had to say. */
  | { reason: "answered" }
  /** A tool closed it. */
  | { reason: "ended-by-tool"; tool: string }
  /** The model was cut off by the length of its answer, or by a filter. */
  | { reason: "cut-off" }
  | { reason: "tokens" | "time" | "aborted" }
  | { reason: "failed"; failure: Failure }

/** What came of a conversation. Failures are part of it: nothing a model or a tool does is thrown. */
export interface Conversed {
  end: End
  /** The last text of the model. */
  text: string
  messages: Message[]
  steps: number
  calls: number
  compactions: number
  spent: Spent
}

/** Of the context, how much may be full before older turns are put into a summary. */
const fullShare = 0.8

/** Has one bounded conversation: asks, runs tools, asks again, until it is over or a limit is reached. */
export async function converse(needs: ConverseNeeds, conversation: Conversation): Promise<Conversed> {
  const { messages, limits, signal: outer } = conversation
  return within(needs.clock, limits.wallMs, outer, async (signal, isTimeUp) => {
    const run: Run = {
      text: "",
      messages: [...messages],
      steps: 0,
      calls: 0,
      compactions: 0,
      spent: { input: 0, cachedInput: 0, output: 0, costUsd: null },
      size: estimateTokens(messages),
      isLast: false,
      signal,
      isTimeUp,
    }
    for (;;) {
      const end = await turn(needs, conversation, run)
      if (end) return finish(run, end)
    }
  })
}

interface Run extends Omit<Conversed, "end"> {
  signal: AbortSignal
  isTimeUp(): boolean
  /** How full the context was after the last turn. */
  size: number
  /** The tools' budget is over and the model was told so. */
  isLast: boolean
}

/** One question and what follows from its answer; undefined while it goes on. */
async function turn(needs: ConverseNeeds, conversation: Conversation, run: Run): Promise<End | undefined> {
  if (run.signal.aborted) return stopped(run)
  if (tokensLeft(conversation, run) <= 0) return { reason: "tokens" }
  if (run.size > conversation.context * fullShare) await makeRoom(needs, conversation, run)
  const answer = await askOnce(needs, conversation, run)
  addSpent(run, answer)
  if (answer.outcome === "failed") return run.signal.aborted ? stopped(run) : failed(answer.failure)
  run.text = answer.text
  run.size = answer.spent.input + answer.spent.output
  const { text, calls, native } = answer
  await say(conversation, run, {
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

function failed(failure: Failure): End {
  return { reason: "failed", failure }
}

/** Asks; a context that turns out too long is shortened once and asked again. */
async function askOnce(needs: ConverseNeeds, conversation: Conversation, run: Run): Promise<Answer> {
  const answer = await needs.ask(question(conversation, run))
  if (answer.outcome !== "failed" || answer.failure.kind !== "context-full") return answer
  const before = run.size
  await makeRoom(needs, conversation, run)
  return run.size < before ? await needs.ask(question(conversation, run)) : answer
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

async function makeRoom(needs: ConverseNeeds, conversation: Conversation, run: Run): Promise<void> {
  const { model, context, maxOutputTokens } = conversation
  const made = await compact(needs, {
    model,
    context,
    messages: run.messages,
    maxOutputTokens,
    signal: run.signal,
  })
  for (const answer of made.answers) addSpent(run, answer)
  run.messages = made.messages
  run.size = estimateTokens(run.messages)
  run.compactions += 1
}

/** Runs the calls of one turn in their order. Those beyond the budget are answered, but not run. */
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
  await say(conversation, run, { role: "tool", results })
  run.size += estimateTokens([{ role: "tool", results }])
  if (ended !== undefined) return { reason: "ended-by-tool", tool: ended }
  if (run.signal.aborted) return stopped(run)
  if (run.isLast) return { reason: "answered" }
  if (run.steps >= limits.steps || run.calls >= limits.calls) {
    run.isLast = true
    await say(conversation, run, { role: "user", text: lastTurnNote })
  }
  return undefined
}

const lastTurnNote =
  "Your budget for tools is used up. Give your final answer now, from what you know; no tool will run any more."

function notRun({ id, name }: ToolCall, why: string): ToolResult {
  return { callId: id, name, text: `Not run: ${why}`, isError: true }
}

async function say(conversation: Conversation, run: Run, message: Message): Promise<void> {
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

function finish(run: Run, end: End): Conversed {
  const { text, messages, steps, calls, compactions, spent } = run
  return { end, text, messages, steps, calls, compactions, spent }
}
