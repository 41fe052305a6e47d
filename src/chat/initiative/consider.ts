import type { Delivery } from "../conversation/state.ts"
import type { CommunityChange, CommunityState, ThoughtEntry } from "./community.ts"
import type { InitiativeSettings } from "./settings.ts"
import { changeOf, maxCallsPerThought, nextRevisit, type Thought, type ThoughtAnswer } from "./thought.ts"
import { longestBackOffMs } from "./tick.ts"

/** A thought to post. */
export interface ThoughtPost {
  /** The same key is never posted twice. */
  key: string
  kind: "fresh thought" | "pending thought"
  thought: Thought
  reason: string
}

const firstBackOffMs = 5 * 60_000

/** Starts a model run. The call counts before it is made, so that a crash cannot lose it. */
export function begin(
  state: CommunityState,
  kind: "fresh" | "revisit",
  { id, at }: { id: string; at: number },
): CommunityChange {
  const { thought, consideredAt } = state
  const underWay = { id, kind, since: at, before: consideredAt }
  const reason =
    kind === "fresh" ? "It was time to consider a post of its own." : "A held thought was due for review."
  const entry: ThoughtEntry = {
    kind: "thought.considered",
    reason,
    data: { run: id, kind, ...(thought ? { thought: thought.id, revision: thought.revision } : {}) },
  }
  const counted = thought && { ...thought, calls: thought.calls + 1 }
  const next = { ...state, underWay, thought: counted, refusal: null }
  if (kind === "revisit") return { state: next, entries: [entry] }
  return { state: { ...next, consideredAt: at, waiting: null }, entries: [entry] }
}

/** The facts of a model run that `conclude` needs. */
export interface ConsiderResult {
  at: number
  /** How many model calls it took. */
  calls: number
  /** The newest message when the model was asked. */
  mark: string | null
  usd?: number | undefined
  /** The sources that the answer links to. */
  sources?: readonly string[] | undefined
  hasReadWeb?: boolean | undefined
}

/** Applies the model's decision: the thought is held, dropped or posted. */
export function conclude(
  state: CommunityState,
  answer: ThoughtAnswer,
  settings: InitiativeSettings,
  look: ConsiderResult,
): CommunityChange & { say: ThoughtPost | null } {
  const { underWay } = state
  if (underWay === null) return { state, entries: [], say: null }
  const { usd } = look
  const before = state.thought
  const rested = { ...state, underWay: null, failures: 0, retryAt: 0 }
  const data = (thought: Thought | null) => ({
    ...{ run: underWay.id, kind: underWay.kind, usd },
    ...(thought
      ? { thought: thought.id, revision: thought.revision, calls: thought.calls }
      : { calls: look.calls }),
  })
  const drop = (reason: string, thought: Thought | null) => ({
    state: { ...rested, thought: null },
    entries: [{ kind: "thought.dropped", reason, data: data(thought) } as const],
    say: null,
  })
  if (answer.action === "drop") return drop(answer.reason, before)
  const thought = before
    ? renewed(before, answer, look)
    : { ...newThought(underWay.id, answer, settings, look), calls: look.calls }
  if (answer.action === "hold") {
    if (thought.calls >= maxCallsPerThought)
      return drop(
        `${answer.reason} It cannot be reviewed again: a model was asked ${thought.calls} times.`,
        thought,
      )
    const change = before ? changeOf(before, thought) : "new"
    const { room, media, expiresAt } = thought
    const held = { ...data(thought), change, room, media: media?.kind ?? null, expiresAt }
    return {
      state: { ...rested, thought },
      entries: [{ kind: "thought.held", reason: answer.reason, data: held }],
      say: null,
    }
  }
  const key = `${thought.id}-${thought.revision}`
  const posting = { ...thought, postingAs: key }
  const kind = underWay.kind === "fresh" ? "fresh thought" : "pending thought"
  return {
    state: { ...rested, thought: posting },
    entries: [],
    say: { key, kind, thought: posting, reason: answer.reason },
  }
}

type KeptAnswer = Exclude<ThoughtAnswer, { action: "drop" }>

function newThought(
  id: string,
  { room, replyTo, text, media, reason }: KeptAnswer,
  { holdMs }: InitiativeSettings,
  { at, mark, sources = [], hasReadWeb = false }: ConsiderResult,
): Thought {
  return {
    ...{ id, room, replyTo, text, media, reason, mark },
    ...{ createdAt: at, updatedAt: at, expiresAt: at + holdMs, revision: 1, calls: 1 },
    revisitAt: nextRevisit(at, { revision: 1, createdAt: at, expiresAt: at + holdMs }),
    sources: [...sources],
    hasReadWeb,
    postingAs: null,
  }
}

/** The same thought with another text or room; its expiry does not change. */
function renewed(
  before: Thought,
  { room, replyTo, text, media, reason }: KeptAnswer,
  look: ConsiderResult,
): Thought {
  const { at, mark, calls, sources = [] } = look
  const revision = before.revision + 1
  return {
    ...before,
    ...{ room, replyTo, text, reason, mark, revision, updatedAt: at },
    media: media ?? before.media,
    // The first call was counted when the run began.
    calls: before.calls + Math.max(0, calls - 1),
    revisitAt: nextRevisit(at, { ...before, revision }),
    hasReadWeb: before.hasReadWeb || (look.hasReadWeb ?? false),
    sources: [...new Set([...before.sources, ...sources])],
  }
}

/** The model failed: it is asked again later, with a growing wait. The used chance is given back. */
export function fail(state: CommunityState, reason: string, at: number): CommunityChange {
  const { underWay, thought } = state
  if (underWay === null) return { state, entries: [] }
  const failures = state.failures + 1
  const retryAt = at + Math.min(longestBackOffMs, firstBackOffMs * 2 ** Math.min(failures - 1, 20))
  const isFresh = underWay.kind === "fresh"
  return {
    state: {
      ...{ ...state, failures, retryAt, underWay: null },
      ...(isFresh ? { consideredAt: underWay.before, waiting: { needed: 0, waited: 0 } } : {}),
    },
    entries: [
      {
        kind: "thought.failed",
        reason,
        data: { run: underWay.id, kind: underWay.kind, failures, retryAt, thought: thought?.id },
      },
    ],
  }
}

/** Applies the delivery of a post. */
export function delivered(
  state: CommunityState,
  key: string,
  delivery: Delivery,
  reason: string,
  at: number,
): CommunityChange {
  const { thought } = state
  if (thought?.postingAs !== key) return { state, entries: [] }
  const { id, revision, calls, room, media, sources } = thought
  const data = { thought: id, revision, calls, room, key, media: media?.kind ?? null, sources }
  switch (delivery.outcome) {
    case "posted":
    case "unknown": {
      const isSure = delivery.outcome === "posted"
      const next = { ...state, thought: null, posts: [...state.posts, at], postedAt: at }
      const entry: ThoughtEntry = isSure
        ? { kind: "thought.posted", reason, data: { ...data, posts: delivery.posts } }
        : { kind: "thought.unconfirmed", reason: delivery.reason, data }
      return { state: next, entries: [entry] }
    }
    case "kept back": {
      const held = { ...thought, postingAs: null, revisitAt: nextRevisit(at, thought) }
      return {
        state: { ...state, thought: held },
        entries: [{ kind: "thought.returned", reason: delivery.reason, data }],
      }
    }
    case "refused":
      return {
        state: { ...state, thought: null },
        entries: [{ kind: "thought.dropped", reason: delivery.reason, data }],
      }
  }
}

/** Drops a held thought; one that is being posted cannot be stopped any more. */
export function dropThought(state: CommunityState, reason: string): CommunityChange {
  const { thought } = state
  if (thought === null || thought.postingAs !== null || state.underWay !== null) return { state, entries: [] }
  const { id, revision, calls } = thought
  return {
    state: { ...state, thought: null },
    entries: [{ kind: "thought.dropped", reason, data: { thought: id, revision, calls } }],
  }
}

/**
 * Continues after a restart. An interrupted model run is not repeated. A thought that was being posted gets the delivery
 * that its room knows; one that never reached its room is held again.
 */
export function recover(state: CommunityState, found: Delivery | undefined, at: number): CommunityChange {
  const rested = { ...state, underWay: null, waiting: null, lookedAt: null, refusal: null }
  const key = state.thought?.postingAs
  if (!key) return { state: rested, entries: [] }
  const reason = "The program was restarted."
  const notPosted = { outcome: "kept back" as const, reason: `${reason} It had not been posted yet.` }
  return delivered(rested, key, found ?? notPosted, reason, at)
}
