import type { RoomRef } from "../channels/channel.ts"
import { roomKey } from "../conversation/state.ts"
import type { CommunityChange, CommunityState, Gate, Refusal, ThoughtEntry } from "./community.ts"
import { drawWait, isOver, waitOn } from "./eagerness.ts"
import type { InitiativeSettings } from "./settings.ts"
import { isDue, maxCallsPerThought, type Thought } from "./thought.ts"

/** The situation of a community at a tick. */
export interface CommunitySituation {
  /** The channels where it may start topics. */
  channels: readonly RoomRef[]
  /** The keys of those in which people talk with it now or a model is being asked. */
  busy: ReadonlySet<string>
  /** The newest messages of these channels; only used while a thought is held. */
  mark: string | null
}

export type TickVerdict = { go: "fresh" | "revisit" } | { go: "nothing"; refusal: Refusal }

/** Time between ticks that are further apart does not count: the program or the machine was off. */
const longestTickMs = 10 * 60_000

const dayMs = 86_400_000
const minuteMs = 60_000

/**
 * Decides whether to consider a community now. The caller then starts the run (`begin`), or refuses it after all
 * (`refuse`). `chance` is a random number in [0, 1).
 */
export function tick(
  before: CommunityState,
  situation: CommunitySituation,
  settings: InitiativeSettings,
  { at, chance }: { at: number; chance: number },
): CommunityChange & { verdict: TickVerdict } {
  const settled = clampTimes(before, settings, at)
  const { state, entries } = dropOverdueThought(settled, situation, at)
  const since = state.lookedAt
  const ticked = { ...state, lookedAt: at }
  const refusal = generalRefusal(ticked, situation, settings, at) ?? heldRefusal(ticked, situation, at)
  if (refusal !== undefined) return refused(ticked, entries, refusal, at)
  const gap = gapRefusal(ticked, settings, at)
  if (gap !== undefined) return refused(ticked, entries, gap, at)
  if (ticked.thought !== null) return { state: ticked, entries, verdict: { go: "revisit" } }
  const waiting = waitOn(
    ticked.waiting ?? { needed: drawWait(chance), waited: 0 },
    countedMs(ticked, settings, since, at),
    settings.eagerness,
  )
  const waited = { ...ticked, waiting }
  if (settings.eagerness <= 0 || !isOver(waiting)) return refused(waited, entries, byChance(settings), at)
  return { state: waited, entries, verdict: { go: "fresh" } }
}

/** Records a refusal; it is journalled when it changes, with how often the last one occurred. */
export function refuse(state: CommunityState, refusal: Refusal, at: number): CommunityChange {
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
): CommunityChange & { verdict: TickVerdict } {
  const told = refuse(state, refusal, at)
  return { state: told.state, entries: [...entries, ...told.entries], verdict: { go: "nothing", refusal } }
}

/** Corrects times after the clock was set back. */
function clampTimes(state: CommunityState, settings: InitiativeSettings, at: number): CommunityState {
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
    thought: thought && clampThought(thought, settings, at),
  }
}

/** The longest wait after failures of the model. */
export const longestBackOffMs = 6 * 3_600_000

function clampThought(thought: Thought, { holdMs }: InitiativeSettings, at: number): Thought {
  const createdAt = Math.min(thought.createdAt, at)
  // The expiry counts from the creation.
  const expiresAt = Math.min(thought.expiresAt, createdAt + holdMs)
  const { changed, unchanged } = thought.revisitAt
  const revisitAt = { changed: Math.min(changed, at + holdMs), unchanged: Math.min(unchanged, at + holdMs) }
  return { ...thought, createdAt, updatedAt: Math.min(thought.updatedAt, at), expiresAt, revisitAt }
}

/** Drops a held thought that expired, has no channel left, or used up its model calls. */
function dropOverdueThought(
  state: CommunityState,
  { channels }: CommunitySituation,
  at: number,
): CommunityChange {
  const { thought, underWay } = state
  if (thought === null || thought.postingAs !== null || underWay !== null) return { state, entries: [] }
  const reason =
    thought.expiresAt <= at
      ? "It expired (chat.initiative.text.hold_hours)."
      : channels.length === 0
        ? "There is no channel left to post it in."
        : thought.calls >= maxCallsPerThought
          ? `A model was asked ${thought.calls} times about it, which is the limit.`
          : undefined
  if (reason === undefined) return { state, entries: [] }
  const { id, revision, calls } = thought
  const entry: ThoughtEntry = { kind: "thought.dropped", reason, data: { thought: id, revision, calls } }
  return { state: { ...state, thought: null }, entries: [entry] }
}

/** The gates that apply to new and held thoughts. */
function generalRefusal(
  state: CommunityState,
  { channels, busy }: CommunitySituation,
  settings: InitiativeSettings,
  at: number,
): Refusal | undefined {
  const { isEnabled, mayAsk, maxPostsPerDay } = settings
  if (!isEnabled) return refusalBy("enabled", "chat.initiative.text.enabled is off.")
  if (!mayAsk) return refusalBy("enabled", "chat.initiative.text.execution is disabled.")
  if (channels.length === 0)
    return refusalBy(
      "channels",
      "chat.policy.discovery_channels names no channel here that it knows and may speak in.",
    )
  if (state.posts.length >= maxPostsPerDay)
    return refusalBy(
      "max posts per day",
      `It said ${maxPostsPerDay} things within 24 hours, which is the limit.`,
    )
  if (state.underWay !== null) return refusalBy("under way", "A model is being asked.")
  if (state.thought?.postingAs) return refusalBy("under way", "A thought is being posted.")
  const quietEnd = settings.afterQuiet(at)
  if (quietEnd > at) return refusalBy("quiet hours", "The community is in its quiet hours.")
  if (state.retryAt > at)
    return refusalBy("back-off", `The model failed (${state.failures} in a row); it is asked again later.`)
  if (channels.every((room) => busy.has(roomKey(room))))
    return refusalBy("conversation", "People are talking with it there.")
  return undefined
}

function heldRefusal(
  { thought }: CommunityState,
  { mark }: CommunitySituation,
  at: number,
): Refusal | undefined {
  if (thought === null || isDue(thought, at, mark)) return undefined
  return refusalBy("held thought", "A thought is held and not due for review yet.")
}

/** When min_minutes_between_posts is over. For a new thought it also counts from the last time one was considered. */
function gapEnd(
  { thought, consideredAt, postedAt }: CommunityState,
  { minGapMs }: InitiativeSettings,
): number {
  const lastNew = thought === null ? consideredAt : null
  return Math.max(lastNew ?? Number.NEGATIVE_INFINITY, postedAt ?? Number.NEGATIVE_INFINITY) + minGapMs
}

function gapRefusal(state: CommunityState, settings: InitiativeSettings, at: number): Refusal | undefined {
  if (gapEnd(state, settings) <= at) return undefined
  const minutes = Math.round(settings.minGapMs / minuteMs)
  return refusalBy("min minutes between posts", `The last time was less than ${minutes} min ago.`)
}

function byChance({ eagerness }: InitiativeSettings): Refusal {
  return refusalBy(
    "eagerness",
    eagerness <= 0
      ? "chat.initiative.text.eagerness is 0."
      : `It waits for a random time (eagerness ${eagerness}).`,
  )
}

/** The time since the last tick that counts for the random wait. */
function countedMs(
  state: CommunityState,
  settings: InitiativeSettings,
  since: number | null,
  at: number,
): number {
  if (since === null || at - since > longestTickMs) return 0
  // If another gate refused at the last tick, the wait starts now.
  if (state.refusal !== null && !chanceGates.has(state.refusal.gate)) return 0
  return at - Math.max(since, gapEnd(state, settings))
}

/** Gates that do not interrupt the wait: the end of the gap is known, and the budget is checked after the wait. */
const chanceGates: ReadonlySet<Gate> = new Set(["eagerness", "min minutes between posts", "budget"])

function refusalBy(gate: Gate, reason: string): Refusal {
  return { gate, reason }
}
