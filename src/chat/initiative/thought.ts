import type { RoomRef } from "../channels/channel.ts"
import type { MediaPlan } from "../media/plan.ts"

/** The checked decision of a model about a thought: its room exists, and its text may be posted. */
export type ThoughtAnswer =
  | {
      action: "post" | "hold"
      room: RoomRef
      replyTo: string | null
      text: string
      media: MediaPlan | null
      reason: string
    }
  | { action: "drop"; reason: string }

/** A thought that was not posted yet. A community has at most one. It is stored as JSON. */
export interface Thought {
  id: string
  text: string
  room: RoomRef
  replyTo: string | null
  media: MediaPlan | null
  /** Why it was held, in the model's words. */
  reason: string
  createdAt: number
  updatedAt: number
  expiresAt: number
  /** Starts at 1 and grows each time it is held again. */
  revision: number
  /** The number of model calls for it, including those that created it. */
  calls: number
  /** When it is reviewed, if there are new messages, and if not. */
  revisitAt: { changed: number; unchanged: number }
  /** The newest messages at the last review; others mean that there are new ones. */
  mark: string | null
  /** The keys of its discovery sources. */
  sources: string[]
  /** Whether the web was read for it, which limits where it may be posted. */
  hasReadWeb: boolean
  /** The key of its post while it is being sent; null while it is held. */
  postingAs: string | null
}

/** The limit of model calls for one thought. */
export const maxCallsPerThought = 6

/**
 * The time to the next review, as a share of the time that a thought may be held: 5 minutes of 6 hours. It doubles each
 * time, and is four times as long without new messages.
 */
const firstRestShare = 1 / 72
const unchangedFactor = 4

/** When a thought that was just held is reviewed. */
export function nextRevisit(
  at: number,
  { revision, createdAt, expiresAt }: Pick<Thought, "revision" | "createdAt" | "expiresAt">,
): Thought["revisitAt"] {
  const restMs = (expiresAt - createdAt) * firstRestShare * 2 ** Math.min(revision - 1, 10)
  return { changed: at + restMs, unchanged: at + unchangedFactor * restMs }
}

/** Whether a held thought is due for review. */
export function isDue(thought: Thought, at: number, mark: string | null): boolean {
  const { changed, unchanged } = thought.revisitAt
  return at >= unchanged || (at >= changed && mark !== thought.mark)
}

/** How a held thought differs from its last revision. */
export function changeOf(
  before: Thought,
  after: Pick<Thought, "text" | "room">,
): "kept" | "refined" | "redirected" {
  const isSameRoom = JSON.stringify(before.room) === JSON.stringify(after.room)
  if (!isSameRoom) return "redirected"
  return before.text === after.text ? "kept" : "refined"
}
