import type { Random } from "../../src/base/random.ts"
import { createSeededRandom } from "../seeded-random.ts"
import { between, skewed } from "./chance.ts"
import { createLedger, type Ledger } from "./ledger.ts"
import { liveThrough, type Person, type UserCall } from "./people.ts"
import { dayMs, minuteMs, type Plan } from "./plans.ts"
import { anchorOf, createProvider, firstDay, type Provider } from "./provider.ts"
import type { Strategy } from "./strategies.ts"

/** One person with one plan for two weeks. */
export interface Case {
  person: Person
  plan: Plan
  seed: number
  /** Whether two weeks of the user's past are known at the start, as from their transcripts. */
  isCold: boolean
}

/** What came of a case. Amounts are in tokens as the windows count them. */
export interface Outcome {
  cycles: number
  userCost: number
  ambientCost: number
  /** What own work may use: of the window that leaves least over the two weeks, what the user left, less the reserve. */
  may: number
  /** When calls of the user were refused with own work going on, that would have been answered without it. */
  throttledAt: number[]
  /** Calls of the user refused without own work. */
  refusedAnyway: number
  ambientRefused: number
  startedAt: number[]
  pausedMs: number
  lastedMs: number
}

const days = 14
/** How much of the user's past is known to begin with, unless nothing is. */
const daysBefore = 28
const reserve = 0.2

export function simulate({ person, plan, seed, isCold }: Case, strategy: Strategy): Outcome {
  const start = firstDay + (35 + (seed % 7)) * dayMs
  const random = createSeededRandom(seed * 7919 + person.name.length * 104_729 + plan.name.length)
  const unseen = seed % 2 === 0 ? 0 : 0.1
  const calls = liveThrough(person, plan, { start, from: -daysBefore, to: days, unseen }, random)
  const begin = isCold ? firstCallOf(calls, start) : start
  const alone = liveAlone(calls, createProvider(plan, anchorOf(seed)))
  const world = createWorld({ plan, seed, calls, begin, isCold, start })
  world.run(strategy, start + days * dayMs, createSeededRandom(seed))
  const { outcome, refused } = world
  const inTime = calls.flatMap((call, index) => (call.at >= begin ? [index] : []))
  const userCost = inTime.reduce((sum, index) => sum + (refused[index] ? 0 : (calls[index]?.cost ?? 0)), 0)
  const lastedMs = start + days * dayMs - begin
  return {
    ...outcome,
    userCost,
    lastedMs,
    may: whatIsLeft(plan, lastedMs, userCost),
    throttledAt: inTime.flatMap((index) => (refused[index] && !alone[index] ? [calls[index]?.at ?? 0] : [])),
    refusedAnyway: inTime.filter((index) => alone[index]).length,
  }
}

/** Who knows nothing yet is started by somebody who is working on this machine. */
function firstCallOf(calls: readonly UserCall[], start: number): number {
  return calls.find(({ at, isSeen }) => at >= start && isSeen)?.at ?? start
}

/** Which calls are refused if nobody but the user is there. */
function liveAlone(calls: readonly UserCall[], provider: Provider): boolean[] {
  return calls.map(({ at, cost }) => provider.ask(at, cost).isRefused)
}

/** What own work may use: what the user leaves of the windows that fit into the time, less the reserve. */
function whatIsLeft(plan: Plan, spanMs: number, userCost: number): number {
  const left = plan.windows.map(({ capacity, lengthMs }) => (capacity * spanMs) / lengthMs - userCost)
  return (1 - reserve) * Math.max(0, Math.min(...left))
}

interface WorldNeeds {
  plan: Plan
  seed: number
  calls: readonly UserCall[]
  begin: number
  start: number
  isCold: boolean
}

/** The user, the provider and Reverie, minute by minute. */
function createWorld({ plan, seed, calls, begin, isCold, start }: WorldNeeds) {
  const provider = createProvider(plan, anchorOf(seed))
  const ledger: Ledger = createLedger(isCold ? begin : start - daysBefore * dayMs)
  const refused: boolean[] = []
  const outcome = { cycles: 0, ambientCost: 0, ambientRefused: 0, startedAt: [] as number[], pausedMs: 0 }

  function letUserWork(until: number): void {
    for (let call = calls[refused.length]; call && call.at <= until; call = calls[refused.length]) {
      const { isRefused } = provider.ask(call.at, call.cost)
      refused.push(isRefused)
      const isKnown = call.isSeen && (!isCold || call.at >= begin)
      if (isKnown) ledger.noteUser(call.at, isRefused ? 0 : call.tokens, provider.readings(call.at))
    }
  }

  /** Runs one cycle and says when it ended. */
  function runCycle(from: number, stopAfter: number, random: Random): number {
    const wanted = Math.round(between(random, 4, 14))
    let at = from
    let spent = 0
    let refusedUntil: number | undefined
    for (let call = 0; call < wanted && spent < stopAfter; call += 1) {
      at += 30_000
      letUserWork(at)
      const tokens = plan.callTokens * skewed(random, 0.5)
      const cost = tokens * skewed(random, 0.15)
      const answer = provider.ask(at, cost)
      if (answer.isRefused) {
        refusedUntil = answer.until
        break
      }
      spent += tokens
      outcome.ambientCost += cost
      ledger.noteAmbient(at, tokens, provider.readings(at))
    }
    ledger.noteCycle(from, spent, refusedUntil)
    if (refusedUntil !== undefined) outcome.ambientRefused += 1
    outcome.cycles += 1
    return at
  }

  /** Does what the strategy says, and tells when to ask it again. */
  function step(strategy: Strategy, now: number, random: Random): number {
    letUserWork(now)
    const { stopAfter, lookAgainAt, isPausedForUser } = strategy.decide(ledger, now)
    if (isPausedForUser) outcome.pausedMs += lookAgainAt - now
    if (stopAfter <= 0) return Math.max(now + minuteMs, lookAgainAt)
    outcome.startedAt.push(now)
    return Math.max(runCycle(now, stopAfter, random), lookAgainAt)
  }

  function run(strategy: Strategy, end: number, random: Random): void {
    for (let now = begin; now < end; ) now = step(strategy, now, random)
    letUserWork(end)
  }

  return { run, outcome, refused }
}
