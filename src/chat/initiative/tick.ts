import type { RoomRef } from "../channels/channel.ts"
import { roomKey } from "../conversation/state.ts"
import type { Changed, CommunityState, Gate, Refusal, ThoughtEntry } from "./community.ts"
import { drawWait, isOver, waitOn } from "./eagerness.ts"
import type { InitiativeSettings } from "./settings.ts"
import { isDue, mostCalls, type Thought } from "./thought.ts"

/** How a community stands outside of its thoughts. */
export interface CommunitySituation {
  /** Where it may begin a subject; none of them muted or left. */
  channels: readonly RoomRef[]
  /** Those of them, by their keys, in which people talk with it now or a model is being asked. */
  busy: ReadonlySet<string>
  /** The newest message of these channels; only looked at while a thought is held. */
  mark: string | null
}

/** What is to be done for a community now. */
export type Verdict = { go: "fresh" | "revisit" } | { go: "nothing"; refusal: Refusal }

/** Two looks further apart than this are no waiting: the program or the machine was away, and nothing is made up for. */
const longestTickMs = 10 * 60_000

const dayMs = 86_400_000
const minuteMs = 60_000

/**
 * Looks whether it is time to think about a community. It changes nothing but the state; whoever calls it begins what it
 * says (`begin`), or says why not after all (`refuse`). `chance` is a random number from 0 up to, not including, 1.
 */
export function tick(
  given: CommunityState,
  situation: CommunitySituation,
  settings: InitiativeSettings,
  { at, chance }: { at: number; chance: number },
): Changed & { verdict: Verdict } {
  const settled = settleTimes(given, settings, at)
  const { state, entries } = endThought(settled, situation, at)
  const since = state.lookedAt
  const looked = { ...state, lookedAt: at }
  const refusal = standingRefusal(looked, situation, settings, at) ?? heldRefusal(looked, situation, at)
  if (refusal !== undefined) return refused(looked, entries, refusal, at)
  const gap = gapRefusal(looked, settings, at)
  if (gap !== undefined) return refused(looked, entries, gap, at)
  if (looked.thought !== null) return { state: looked, entries, verdict: { go: "revisit" } }
  const waiting = waitOn(
    looked.waiting ?? { needed: drawWait(chance), waited: 0 },
    countedMs(looked, settings, since, at),
    settings.eagerness,
  )
  const waited = { ...looked, waiting }
  if (settings.eagerness <= 0 || !isOver(waiting)) return refused(waited, entries, byChance(settings), at)
  return { state: waited, entries, verdict: { go: "fresh" } }
}

/** Notes that nothing is thought about, and why; the journal is told when that changes, with how often it was so before. */
export function refuse(state: CommunityState, refusal: Refusal, at: number): Changed {
  const before = state.refusal
  if (before?.gate === refusal.gate && before.reason === refusal.reason) {
    return { state: { ...state, refusal: { ...before, times: before.times + 1 } }, entries: [] }
  }
  const { gate, reason } = refusal
  const earlier =
    before === null ? {} : { before: { gate: before.gate, times: before.times, since: before.since } }
  return {
    state: { ...state, refusal: { ...refusal, since: at, times: 1 } },
    entries: [{ kind: "thought.refused", reason, data: { gate, ...earlier } }],
  }
}

function refused(
  state: CommunityState,
  entries: readonly ThoughtEntry[],
  refusal: Refusal,
  at: number,
): Changed & { verdict: Verdict } {
  const told = refuse(state, refusal, at)
  return { state: told.state, entries: [...entries, ...told.entries], verdict: { go: "nothing", refusal } }
}

/** The clock may have been set back since: nothing lies in the future that lay in the past. */
function settleTimes(state: CommunityState, settings: InitiativeSettings, at: number): CommunityState {
  const { posts, postedAt, consideredAt, retryAt, thought, lookedAt } = state
  const kept = posts.map((one) => Math.min(one, at)).filter((one) => one > at - dayMs)
  const past = (time: number | null) => (time === null ? null : Math.min(time, at))
  return {
    ...state,
    posts: kept,
    postedAt: past(postedAt),
    consideredAt: past(consideredAt),
    retryAt: Math.min(retryAt, at + longestBackOffMs),
    lookedAt: past(lookedAt),
    thought: thought && settledThought(thought, settings, at),
  }
}

/** How long the model is left alone after failures at most. */
export const longestBackOffMs = 6 * 3_600_000

function settledThought(thought: Thought, { holdMs }: InitiativeSettings, at: number): Thought {
  const createdAt = Math.min(thought.createdAt, at)
  // Its end is counted from when it was first thought, whatever happened since.
  const expiresAt = Math.min(thought.expiresAt, createdAt + holdMs)
  const { changed, unchanged } = thought.revisitAt
  const revisitAt = { changed: Math.min(changed, at + holdMs), unchanged: Math.min(unchanged, at + holdMs) }
  return { ...thought, createdAt, updatedAt: Math.min(thought.updatedAt, at), expiresAt, revisitAt }
}

/** A thought whose time is over goes; one that is on its way into its room is waited for. */
function endThought(state: CommunityState, { channels }: CommunitySituation, at: number): Changed {
  const { thought, underWay } = state
  if (thought === null || thought.postingAs !== null || underWay !== null) return { state, entries: [] }
  const reason =
    thought.expiresAt <= at
      ? "Its time was over (chat.initiative.text.hold_hours)."
      : channels.length === 0
        ? "There is no channel left to say it in."
        : thought.calls >= mostCalls
          ? `A model was asked ${thought.calls} times about it, which is the most.`
          : undefined
  if (reason === undefined) return { state, entries: [] }
  const { id, revision, calls } = thought
  const entry: ThoughtEntry = { kind: "thought.dropped", reason, data: { thought: id, revision, calls } }
  return { state: { ...state, thought: null }, entries: [entry] }
}

/** What keeps it from looking at anything at all. */
function standingRefusal(
  state: CommunityState,
  { channels, busy }: CommunitySituation,
  settings: InitiativeSettings,
  at: number,
): Refusal | undefined {
  const { isEnabled, mayAsk, maxPostsPerDay } = settings
  if (!isEnabled) return by("enabled", "chat.initiative.text.enabled is off.")
  if (!mayAsk) return by("enabled", "chat.initiative.text.execution is disabled.")
  if (channels.length === 0)
    return by(
      "channels",
      "chat.policy.discovery_channels names no channel here that it knows and may speak in.",
    )
  if (state.posts.length >= maxPostsPerDay)
    return by("max posts per day", `It said ${maxPostsPerDay} things within 24 hours, which is the most.`)
  if (state.underWay !== null) return by("under way", "A model is being asked.")
  if (state.thought?.postingAs) return by("under way", "A thought is being said.")
  const quietEnd = settings.afterQuiet(at)
  if (quietEnd > at) return by("quiet hours", "It is in the community's quiet hours.")
  if (state.retryAt > at)
    return by("back-off", `The model failed (${state.failures} in a row); it is left alone for a while.`)
  if (channels.every((room) => busy.has(roomKey(room))))
    return by("conversation", "People talk with it there just now.")
  return undefined
}

function heldRefusal(
  { thought }: CommunityState,
  { mark }: CommunitySituation,
  at: number,
): Refusal | undefined {
  if (thought === null || isDue(thought, at, mark)) return undefined
  return by("held thought", "A thought is held, and it is not time to look at it again.")
}

/** When the gap is over. For something new it also counts from the last look; a held thought came of that look itself. */
function gapEnd(
  { thought, consideredAt, postedAt }: CommunityState,
  { minGapMs }: InitiativeSettings,
): number {
  const lookedAnew = thought === null ? consideredAt : null
  return Math.max(lookedAnew ?? Number.NEGATIVE_INFINITY, postedAt ?? Number.NEGATIVE_INFINITY) + minGapMs
}

function gapRefusal(state: CommunityState, settings: InitiativeSettings, at: number): Refusal | undefined {
  if (gapEnd(state, settings) <= at) return undefined
  const minutes = Math.round(settings.minGapMs / minuteMs)
  return by("min minutes between posts", `The last time was less than ${minutes} min ago.`)
}

function byChance({ eagerness }: InitiativeSettings): Refusal {
  return by(
    "eagerness",
    eagerness <= 0 ? "chat.initiative.text.eagerness is 0." : `It waits by chance (eagerness ${eagerness}).`,
  )
}

/** The time since the last look, as far as only chance kept it from thinking; a time that nobody looked counts nothing. */
function countedMs(
  state: CommunityState,
  settings: InitiativeSettings,
  since: number | null,
  at: number,
): number {
  if (since === null || at - since > longestTickMs) return 0
  // What another gate refused at the last look counts from now.
  if (state.refusal !== null && !chanceGates.has(state.refusal.gate)) return 0
  return at - Math.max(since, gapEnd(state, settings))
}

/** Gates after which the wait goes on: the end of the gap is known exactly, and the budget is asked after the wait. */
const chanceGates: ReadonlySet<Gate> = new Set(["eagerness", "min minutes between posts", "budget"])

function by(gate: Gate, reason: string): Refusal {
  return { gate, reason }
}
