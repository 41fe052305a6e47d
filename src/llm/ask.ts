import { sleep } from "../base/clock.ts"
import type { Lock } from "../base/lock.ts"
import { newId } from "../base/random.ts"
import type { InstallCore } from "../storage/core.ts"
import {
  type AccessId,
  type Answer,
  failedAnswer,
  type Message,
  type ModelAccess,
  type ModelRef,
  type Question,
} from "./choice/access.ts"
import { costOf } from "./choice/catalog.ts"
import type { Failure } from "./failure.ts"
import { type ModelCall, paidSince, recordCall, type Source } from "./ledger.ts"
import { afterAnswer, type PoolState, poolState, savePoolState } from "./limits/pool-state.ts"
import { isPaid, poolName, poolOf } from "./limits/pools.ts"
import { saveReadings } from "./limits/store.ts"

/** Why a model is asked: Reverie's own work, a user's request, or a test of the connection. */
export type Cause = "own" | "asked" | "test"

/** On whose behalf a model is asked. */
export interface CallOrigin {
  source: Exclude<Source, "user">
  cycle: string | null
  /** "own" by default. */
  cause?: Cause | undefined
}

export interface AskNeeds extends InstallCore {
  accesses: ReadonlyMap<AccessId, ModelAccess>
  /** Removes secrets from a text. Nothing reaches a provider or the ledger without it. */
  redact(text: string): string
  /** The most that paid keys may cost in any 24 hours. */
  dailyUsd: number
  spending: Spending
  /** Redacted copies of messages that were sent before. */
  redacted: WeakMap<Message, Message>
  /** Whether calls by this access stay on this machine. */
  staysOnMachine(access: AccessId): boolean
}

/** US dollars reserved for calls in progress, and the lock that guards the sum. */
interface Spending {
  reservedUsd: number
  lock: Lock
}

const dayMs = 86_400_000

/** Pauses before the retries of a call that failed for a transient reason. */
const pausesMs = [1000, 4000]

/** Asks a model. Every call goes through here: it is checked against limits, recorded, and its limits are read. */
export async function askModel(
  needs: AskNeeds,
  ref: ModelRef,
  question: Omit<Question, "model">,
  origin: CallOrigin,
): Promise<Answer> {
  const screened = redactQuestion(needs, ref, { ...question, model: ref.model })
  for (let attempt = 0; ; attempt += 1) {
    const answer = await askOnce(needs, ref, screened, origin)
    const pauseMs = pausesMs[attempt]
    if (!isTransient(answer) || pauseMs === undefined) return answer
    await sleep(needs.clock, pauseMs * (0.5 + needs.random.next()), question.signal)
    if (question.signal.aborted) return answer
  }
}

function isTransient(answer: Answer): boolean {
  if (answer.outcome === "answered") return false
  const { kind } = answer.failure
  return kind === "overloaded" || kind === "malformed" || kind === "empty"
}

async function askOnce(
  needs: AskNeeds,
  ref: ModelRef,
  question: Question,
  origin: CallOrigin,
): Promise<Answer> {
  const access = needs.accesses.get(ref.access)
  if (access === undefined)
    return refusal("unreachable", `${ref.access} is not set up; see \`reverie models\`.`)
  const state = await poolState(needs.db, needs.install, poolOf(ref.access))
  const refused = refusedByState(state, needs.clock.now())
  if (refused) return refused
  const most = worstCost(ref, question)
  const overCap = await reserve(needs, ref, most)
  if (overCap) return overCap
  const startedAt = needs.clock.now()
  try {
    const answer = redactFailure(needs, await access.ask(question))
    await record(needs, { ref, origin, answer, startedAt })
    return answer
  } finally {
    needs.spending.reservedUsd -= most
  }
}

function refusal(kind: Failure["kind"], message: string, retryAt?: number): Answer {
  return failedAnswer(retryAt === undefined ? { kind, message } : { kind, message, retryAt })
}

/** Refuses a pool that is stopped or rate-limited, without a request. */
function refusedByState(state: PoolState, now: number): Answer | undefined {
  const name = poolName(state.pool)
  if (state.stoppedAt !== null)
    return refusal(
      "auth",
      `The ${name} is stopped: ${state.reason ?? ""} \`reverie models --retry\` tries it again.`,
    )
  if (state.blockedUntil !== null && state.blockedUntil > now)
    return refusal("rate-limited", `The ${name} is rate-limited for now.`, state.blockedUntil)
  return undefined
}

/** The most a call can cost. The daily cap is checked against it before the call. */
function worstCost({ access, model }: ModelRef, question: Question): number {
  if (!isPaid(access)) return 0
  const { system, messages, tools, maxOutputTokens } = question
  // Three bytes per token overestimates all common languages.
  const input = Math.ceil(Buffer.byteLength(JSON.stringify([system, messages, tools])) / 3)
  return costOf(model, { input, cachedInput: 0, output: maxOutputTokens })
}

/** Reserves the most a call can cost. The lock keeps two calls from both taking the last of the budget. */
function reserve(needs: AskNeeds, ref: ModelRef, most: number): Promise<Answer | undefined> {
  return needs.spending.lock.run(async () => {
    const refused = isPaid(ref.access) ? await refusedByCap(needs, most) : undefined
    if (refused === undefined) needs.spending.reservedUsd += most
    return refused
  })
}

async function refusedByCap(needs: AskNeeds, most: number): Promise<Answer | undefined> {
  const { usd, oldest } = await paidSince(needs.db, needs.install, needs.clock.now() - dayMs)
  if (usd + needs.spending.reservedUsd + most <= needs.dailyUsd) return undefined
  const spent = `${usd.toFixed(2)} of ${needs.dailyUsd.toFixed(2)} US dollars were spent in the last 24 hours`
  const message = `${spent}, and this call could cost ${most.toFixed(2)} more; raise models.daily_usd to allow it.`
  return refusal("rate-limited", message, oldest === null ? undefined : oldest + dayMs)
}

interface FinishedCall {
  ref: ModelRef
  origin: CallOrigin
  answer: Answer
  startedAt: number
}

/** Writes the ledger, the limit readings and the pool's state, each with its journal entry, in one transaction. */
async function record(needs: AskNeeds, { ref, origin, answer, startedAt }: FinishedCall): Promise<void> {
  const now = needs.clock.now()
  const pool = poolOf(ref.access)
  const by = { operation: newId(needs.random, "op"), actor: origin.source }
  const call: ModelCall = {
    id: newId(needs.random, "call"),
    at: Math.round(now),
    source: origin.source,
    cycle: origin.cycle,
    pool,
    way: ref.access,
    model: answer.outcome === "answered" ? answer.model : ref.model,
    ...usageOf(ref, answer),
    latencyMs: Math.round(now - startedAt),
    outcome: answer.outcome === "answered" ? "answered" : answer.failure.kind,
    reason: answer.outcome === "answered" ? null : answer.failure.message,
  }
  const stopped = await needs.db.write(async (transaction) => {
    await recordCall(transaction, needs.install, call, by)
    const readings = answer.readings.map((reading) => ({ ...reading, pool, learnedFrom: "headers" as const }))
    await saveReadings(transaction, needs.install, readings)
    const before = await poolState(transaction, needs.install, pool)
    const after = afterAnswer(before, answer, now)
    if (JSON.stringify(after) !== JSON.stringify(before))
      await savePoolState(transaction, needs.install, { before, after, now }, by)
    return before.stoppedAt === null && after.stoppedAt !== null ? after.reason : undefined
  })
  if (stopped !== undefined)
    needs.log.warn(`The ${poolName(pool)} is stopped until you fix the cause`, { reason: stopped })
}

function usageOf(
  ref: ModelRef,
  { spent }: Answer,
): Pick<ModelCall, "input" | "cachedInput" | "output" | "costUsd"> {
  if (spent === null) return { input: 0, cachedInput: 0, output: 0, costUsd: null }
  const costUsd = isPaid(ref.access) ? (spent.costUsd ?? costOf(ref.model, spent)) : null
  const { input, cachedInput, output } = spent
  return { input, cachedInput, output, costUsd }
}

/** A provider's error message may quote what it was sent. */
function redactFailure(needs: AskNeeds, answer: Answer): Answer {
  if (answer.outcome === "answered") return answer
  return { ...answer, failure: { ...answer.failure, message: needs.redact(answer.failure.message) } }
}

/** Removes secrets from a question, unless it goes to the user's own server on this machine. */
function redactQuestion(needs: AskNeeds, { access }: ModelRef, question: Question): Question {
  if (needs.staysOnMachine(access)) return question
  return {
    ...question,
    system: needs.redact(question.system),
    messages: question.messages.map((message) => redactMessage(needs, message)),
  }
}

function redactMessage({ redact, redacted }: AskNeeds, message: Message): Message {
  const known = redacted.get(message)
  if (known) return known
  const copy = redactTexts(redact, message)
  redacted.set(message, copy)
  return copy
}

function redactTexts(redact: AskNeeds["redact"], message: Message): Message {
  switch (message.role) {
    case "user":
      return { ...message, text: redact(message.text) }
    case "assistant":
      return message
    case "tool":
      return { ...message, results: message.results.map((one) => ({ ...one, text: redact(one.text) })) }
  }
}
