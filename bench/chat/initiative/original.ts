import type { Random } from "../../../src/base/random.ts"
import {
  createDecisions,
  type Liveliness,
  type Moment,
  messagesUntil,
  newTally,
  type Tally,
} from "./decisions.ts"

interface Pending {
  moment: Moment
  createdAt: number
  calls: number
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** A held thought is asked about again from half a minute on, so at each tick, for two hours at most. */
const longestHoldMs = 2 * hourMs

/**
 * The rule that the original goes by: one tick a minute; posts of a day, and the gap since anything was considered, are
 * counted for all communities together; the roll of eagerness is made anew each minute; the liveliest community of the
 * last hour is taken; if no fresh look is let in, the oldest held thought is asked about, every minute. A failure writes
 * nothing down and is tried again.
 */
export function playOriginal(
  communities: readonly Liveliness[],
  {
    days,
    eagerness,
    gapMs,
    perDay,
    random,
  }: { days: number; eagerness: number; gapMs: number; perDay: number; random: Random },
): Tally {
  const tally = newTally(communities)
  const decisions = createDecisions(random)
  const pending = new Map<string, Pending>()
  let posts: number[] = []
  let lastAction = Number.NEGATIVE_INFINITY
  const post = (at: number) => {
    tally.posts += 1
    posts.push(at)
  }
  const revisit = (key: string, one: Pending, at: number) => {
    const { action } = decisions.revisit(one.moment, at)
    one.calls += 1
    tally.calls += 1
    tally.heldCalls += 1
    tally.mostCalls = Math.max(tally.mostCalls, one.calls)
    if (action === "fail") return
    lastAction = at
    if (action === "post") post(at)
    if (action !== "hold") pending.delete(key)
  }
  const look = (key: string, at: number) => {
    const { action, calls, moment } = decisions.fresh(at)
    tally.calls += calls
    tally.considered.set(key, (tally.considered.get(key) ?? 0) + 1)
    if (action === "fail") return
    lastAction = at
    if (action === "post") post(at)
    if (moment === undefined) return
    tally.held += 1
    pending.set(key, { moment, createdAt: at, calls })
  }
  for (let at = minuteMs; at <= days * dayMs; at += minuteMs) {
    posts = posts.filter((one) => one > at - dayMs)
    if (posts.length >= perDay) continue
    for (const [key, { createdAt }] of pending) if (at >= createdAt + longestHoldMs) pending.delete(key)
    const candidate = liveliest(communities, pending, at)
    const isAdmitted = at - lastAction >= gapMs && random.next() * 100 < eagerness
    if (candidate !== undefined && isAdmitted) {
      look(candidate, at)
      continue
    }
    const [oldest] = pending
    if (oldest) revisit(oldest[0], oldest[1], at)
  }
  return tally
}

function liveliest(
  communities: readonly Liveliness[],
  pending: ReadonlyMap<string, Pending>,
  at: number,
): string | undefined {
  let best: { key: string; score: number } | undefined
  for (const one of communities) {
    if (pending.has(one.key)) continue
    const score = messagesUntil(one, at) - messagesUntil(one, at - hourMs)
    if (best === undefined || score > best.score) best = { key: one.key, score }
  }
  return best?.key
}
