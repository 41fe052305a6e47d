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
import { afterAnswer, keepState, type PoolState, poolState } from "./limits/pool-state.ts"
import { isPaid, poolName, poolOf } from "./limits/pools.ts"
import { keepReadings } from "./limits/store.ts"

/** What a model is asked for: Reverie's own work, work that a person asked for, or to see whether it answers. */
export type Cause = "own" | "asked" | "test"

/** On whose behalf a question is asked. */
export interface Errand {
  source: Exclude<Source, "user">
  cycle: string | null
  /** Its own work, unless said otherwise. */
  cause?: Cause | undefined
}

/** What asking needs. */
export interface AskNeeds extends InstallCore {
  accesses: ReadonlyMap<AccessId, ModelAccess>
  /** Takes secrets out of a text: nothing goes to a provider or into the ledger without it. */
  redact(text: string): string
  /** What paid keys may cost in any 24 hours. */
  dailyUsd: number
  spending: Spending
  /** Messages whose secrets were taken out already. */
  screened: WeakMap<Message, Message>
  /** Whether what is asked by this way does not leave the machine. */
  staysHere(access: AccessId): boolean
}

/** Dollars that calls under way may still cost, and the turn of whoever looks at them. */
interface Spending {
  setAsideUsd: number
  lock: Lock
}

const dayMs = 86_400_000

/** How often a call that failed for a passing reason is tried again, and how long it waits first. */
const pausesMs = [1000, 4000]

/** Asks a model: the one function by which calls are allowed, counted, and limits learned. */
export async function askModel(
  needs: AskNeeds,
  ref: ModelRef,
  question: Omit<Question, "model">,
  errand: Errand,
): Promise<Answer> {
  const screened = screen(needs, ref, { ...question, model: ref.model })
  for (let attempt = 0; ; attempt += 1) {
    const answer = await askOnce(needs, ref, screened, errand)
    const pauseMs = pausesMs[attempt]
    if (!isPassing(answer) || pauseMs === undefined) return answer
    await sleep(needs.clock, pauseMs * (0.5 + needs.random.next()), question.signal)
    if (question.signal.aborted) return answer
  }
}

function isPassing(answer: Answer): boolean {
  if (answer.outcome === "answered") return false
  const { kind } = answer.failure
  return kind === "overloaded" || kind === "malformed" || kind === "empty"
}

async function askOnce(needs: AskNeeds, ref: ModelRef, question: Question, errand: Errand): Promise<Answer> {
  const access = needs.accesses.get(ref.access)
  if (access === undefined)
    return refusal("unreachable", `${ref.access} is not set up; see \`reverie models\`.`)
  const state = await poolState(needs.db, needs.install, poolOf(ref.access))
  const standing = refusedByState(state, needs.clock.now())
  if (standing) return standing
  const most = worstCost(ref, question)
  const overCap = await setAside(needs, ref, most)
  if (overCap) return overCap
  const startedAt = needs.clock.now()
  try {
    const answer = clean(needs, await access.ask(question))
    await record(needs, { ref, errand, answer, startedAt })
    return answer
  } finally {
    needs.spending.setAsideUsd -= most
  }
}

function refusal(kind: Failure["kind"], message: string, retryAt?: number): Answer {
  return failedAnswer(retryAt === undefined ? { kind, message } : { kind, message, retryAt })
}

/** A pool that is stopped or wants to be left alone is not asked; nothing is spent to find out again. */
function refusedByState(state: PoolState, now: number): Answer | undefined {
  const name = poolName(state.pool)
  if (state.stoppedAt !== null)
    return refusal(
      "auth",
      `The ${name} is not asked any more: ${state.reason ?? ""} \`reverie models --retry\` tries it again.`,
    )
  if (state.blockedUntil !== null && state.blockedUntil > now)
    return refusal("rate-limited", `The ${name} wants to be left alone for now.`, state.blockedUntil)
  return undefined
}

/** The most a call can cost, so that the cap holds before it is made. */
function worstCost({ access, model }: ModelRef, question: Question): number {
  if (!isPaid(access)) return 0
  const { system, messages, tools, maxOutputTokens } = question
  // Three bytes to a token is more than any of the usual languages and codes need.
  const input = Math.ceil(Buffer.byteLength(JSON.stringify([system, messages, tools])) / 3)
  return costOf(model, { input, cachedInput: 0, output: maxOutputTokens })
}

/** Sets the most a call can cost aside; one after the other, so that two cannot both be the last that fits. */
function setAside(needs: AskNeeds, ref: ModelRef, most: number): Promise<Answer | undefined> {
  return needs.spending.lock.run(async () => {
    const refused = isPaid(ref.access) ? await refusedByCap(needs, most) : undefined
    if (refused === undefined) needs.spending.setAsideUsd += most
    return refused
  })
}

async function refusedByCap(needs: AskNeeds, most: number): Promise<Answer | undefined> {
  const { usd, oldest } = await paidSince(needs.db, needs.install, needs.clock.now() - dayMs)
  if (usd + needs.spending.setAsideUsd + most <= needs.dailyUsd) return undefined
  const spent = `${usd.toFixed(2)} of ${needs.dailyUsd.toFixed(2)} US dollars are spent in the last 24 hours`
  const message = `${spent}, and this call could cost ${most.toFixed(2)} more; raise models.daily_usd to allow it.`
  return refusal("rate-limited", message, oldest === null ? undefined : oldest + dayMs)
}

interface Done {
  ref: ModelRef
  errand: Errand
  answer: Answer
  startedAt: number
}

/** Ledger, limits and the pool's standing change together with their journal entry. */
async function record(needs: AskNeeds, { ref, errand, answer, startedAt }: Done): Promise<void> {
  const now = needs.clock.now()
  const pool = poolOf(ref.access)
  const by = { operation: newId(needs.random, "op"), actor: errand.source }
  const call: ModelCall = {
    id: newId(needs.random, "call"),
    at: Math.round(now),
    source: errand.source,
    cycle: errand.cycle,
    pool,
    way: ref.access,
    model: answer.outcome === "answered" ? answer.model : ref.model,
    ...figures(ref, answer),
    latencyMs: Math.round(now - startedAt),
    outcome: answer.outcome === "answered" ? "answered" : answer.failure.kind,
    reason: answer.outcome === "answered" ? null : answer.failure.message,
  }
  const stopped = await needs.db.write(async (transaction) => {
    await recordCall(transaction, needs.install, call, by)
    const readings = answer.readings.map((reading) => ({ ...reading, pool, learnedFrom: "headers" as const }))
    await keepReadings(transaction, needs.install, readings)
    const before = await poolState(transaction, needs.install, pool)
    const after = afterAnswer(before, answer, now)
    if (JSON.stringify(after) !== JSON.stringify(before))
      await keepState(transaction, needs.install, { before, after, now }, by)
    return before.stoppedAt === null && after.stoppedAt !== null ? after.reason : undefined
  })
  if (stopped !== undefined)
    needs.log.warn(`The ${poolName(pool)} is not asked any more until you mend it`, { reason: stopped })
}

function figures(
  ref: ModelRef,
  { spent }: Answer,
): Pick<ModelCall, "input" | "cachedInput" | "output" | "costUsd"> {
  if (spent === null) return { input: 0, cachedInput: 0, output: 0, costUsd: null }
  const costUsd = isPaid(ref.access) ? (spent.costUsd ?? costOf(ref.model, spent)) : null
  const { input, cachedInput, output } = spent
  return { input, cachedInput, output, costUsd }
}

/** What a provider said of a failure may quote what it was sent. */
function clean(needs: AskNeeds, answer: Answer): Answer {
  if (answer.outcome === "answered") return answer
  return { ...answer, failure: { ...answer.failure, message: needs.redact(answer.failure.message) } }
}

/** Secrets do not leave the machine: only a server of the user's own that is on it gets texts as they are. */
function screen(needs: AskNeeds, { access }: ModelRef, question: Question): Question {
  if (needs.staysHere(access)) return question
  return {
    ...question,
    system: needs.redact(question.system),
    messages: question.messages.map((message) => screenMessage(needs, message)),
  }
}

function screenMessage({ redact, screened }: AskNeeds, message: Message): Message {
  const known = screened.get(message)
  if (known) return known
  const clean = screenedMessage(redact, message)
  screened.set(message, clean)
  return clean
}

function screenedMessage(redact: AskNeeds["redact"], message: Message): Message {
  switch (message.role) {
    case "user":
      return { ...message, text: redact(message.text) }
    case "assistant":
      return message
    case "tool":
      return { ...message, results: message.results.map((one) => ({ ...one, text: redact(one.text) })) }
  }
}
