import type { Delivery } from "../conversation/state.ts"
import type { Changed, CommunityState, ThoughtEntry } from "./community.ts"
import type { InitiativeSettings } from "./settings.ts"
import { changeOf, mostCalls, nextVisit, type Thought, type ThoughtAnswer } from "./thought.ts"
import { longestBackOffMs } from "./tick.ts"

/** What is to be said in a room, as a thought of its own. */
export interface Saying {
  /** The same key is never said twice. */
  key: string
  kind: "fresh thought" | "pending thought"
  thought: Thought
  reason: string
}

const firstBackOffMs = 5 * 60_000

/** A model is going to be asked. The call counts before it is made, whatever happens to the program meanwhile. */
export function begin(
  state: CommunityState,
  kind: "fresh" | "revisit",
  { id, at }: { id: string; at: number },
): Changed {
  const { thought, consideredAt } = state
  const underWay = { id, kind, since: at, before: consideredAt }
  const reason =
    kind === "fresh"
      ? "It was time for a thought of its own."
      : "A held thought was due to be looked at again."
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

/** What a look needs to know to be concluded. */
export interface Look {
  at: number
  /** How often the model was asked in it. */
  calls: number
  /** The newest message when the model was asked. */
  mark: string | null
  usd?: number | undefined
  /** Sources of what the answer is about. */
  sources?: readonly string[] | undefined
  hasReadWeb?: boolean | undefined
}

/** The model decided: the thought is kept, goes, or is to be said now. */
export function conclude(
  state: CommunityState,
  answer: ThoughtAnswer,
  settings: InitiativeSettings,
  look: Look,
): Changed & { say: Saying | null } {
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
    if (thought.calls >= mostCalls)
      return drop(
        `${answer.reason} It cannot be looked at again: a model was asked ${thought.calls} times.`,
        thought,
      )
    const change = before ? changeOf(before, thought) : "new"
    const told = { ...data(thought), change, room: thought.room, media: thought.media?.kind ?? null }
    const until = { expiresAt: thought.expiresAt }
    return {
      state: { ...rested, thought },
      entries: [{ kind: "thought.held", reason: answer.reason, data: { ...told, ...until } }],
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

type Kept = Exclude<ThoughtAnswer, { action: "drop" }>

function newThought(
  id: string,
  { room, replyTo, text, media, reason }: Kept,
  { holdMs }: InitiativeSettings,
  { at, mark, sources = [], hasReadWeb = false }: Look,
): Thought {
  return {
    ...{ id, room, replyTo, text, media, reason, mark },
    ...{ createdAt: at, updatedAt: at, expiresAt: at + holdMs, revision: 1, calls: 1 },
    ...{
      revisitAt: nextVisit(at, { revision: 1, createdAt: at, expiresAt: at + holdMs }),
      sources: [...sources],
      hasReadWeb,
      postingAs: null,
    },
  }
}

/** The same thought in other words or for another room; its end stays where it was. */
function renewed(before: Thought, { room, replyTo, text, media, reason }: Kept, look: Look): Thought {
  const { at, mark, calls, sources = [] } = look
  const revision = before.revision + 1
  return {
    ...before,
    ...{ room, replyTo, text, reason, mark, revision, updatedAt: at },
    media: media ?? before.media,
    // One call was counted when it began.
    calls: before.calls + Math.max(0, calls - 1),
    revisitAt: nextVisit(at, { ...before, revision }),
    hasReadWeb: before.hasReadWeb || (look.hasReadWeb ?? false),
    sources: [...new Set([...before.sources, ...sources])],
  }
}

/** Nothing came of asking: the model is left alone, longer each time. The chance that was used is given back. */
export function fail(state: CommunityState, reason: string, at: number): Changed {
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

/** What was to be said has left its room's conversation, or not. */
export function delivered(
  state: CommunityState,
  key: string,
  delivery: Delivery,
  reason: string,
  at: number,
): Changed {
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
      const held = { ...thought, postingAs: null, revisitAt: nextVisit(at, thought) }
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

/** A thought goes that may hold what somebody wants forgotten; one that is being said can no longer be called back. */
export function letGo(state: CommunityState, reason: string): Changed {
  const { thought } = state
  if (thought === null || thought.postingAs !== null || state.underWay !== null) return { state, entries: [] }
  const { id, revision, calls } = thought
  return {
    state: { ...state, thought: null },
    entries: [{ kind: "thought.dropped", reason, data: { thought: id, revision, calls } }],
  }
}

/**
 * Goes on after a restart. What a model was being asked is not asked again: that chance is missed. A thought that was
 * on its way is settled by what its room knows; one that never arrived there is held on.
 */
export function recover(state: CommunityState, found: Delivery | undefined, at: number): Changed {
  const rested = { ...state, underWay: null, waiting: null, lookedAt: null, refusal: null }
  const key = state.thought?.postingAs
  if (!key) return { state: rested, entries: [] }
  const reason = "The program was started anew."
  return delivered(
    rested,
    key,
    found ?? { outcome: "kept back", reason: `${reason} It had not been said yet.` },
    reason,
    at,
  )
}
