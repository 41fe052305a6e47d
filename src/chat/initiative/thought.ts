import type { RoomRef } from "../channels/channel.ts"
import type { MediaPlan } from "../media/plan.ts"

/** What a model decided about a thought; rooms are real ones, and texts may be said. */
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

/** Something it wants to say and has not said yet. A community has at most one. Plain JSON: it survives a restart. */
export interface Thought {
  id: string
  text: string
  /** Where it is to be said. */
  room: RoomRef
  replyTo: string | null
  media: MediaPlan | null
  /** Why it was kept, as the model said it. */
  reason: string
  createdAt: number
  updatedAt: number
  expiresAt: number
  /** 1 at first, one more each time it was kept again. */
  revision: number
  /** How often a model was asked for it in all, what it took to think it included. */
  calls: number
  /** When it is looked at again, if the room has changed, and if not. */
  revisitAt: { changed: number; unchanged: number }
  /** The newest message when it was last looked at; another one means that the room has changed. */
  mark: string | null
  /** Sources of what it is about, by their keys. */
  sources: string[]
  /** Whether the web was searched or read for it: where it may be said then, the policy says. */
  hasReadWeb: boolean
  /** Under which key it is on its way into its room; null while it is held. */
  postingAs: string | null
}

/** So often a model is asked for one thought at most, from thinking it to its end. */
export const mostCalls = 6

/**
 * How long a held thought rests after it was looked at, as a share of the time it may be held: 5 minutes of 6 hours. Twice
 * as long each time, four times that if nothing changed.
 */
const firstRestShare = 1 / 72
const unchangedFactor = 4

/** When a thought is looked at again that was just kept. */
export function nextVisit(
  at: number,
  { revision, createdAt, expiresAt }: Pick<Thought, "revision" | "createdAt" | "expiresAt">,
): Thought["revisitAt"] {
  const restMs = (expiresAt - createdAt) * firstRestShare * 2 ** Math.min(revision - 1, 10)
  return { changed: at + restMs, unchanged: at + unchangedFactor * restMs }
}

/** Whether a held thought is due to be looked at. */
export function isDue(thought: Thought, at: number, mark: string | null): boolean {
  const { changed, unchanged } = thought.revisitAt
  return at >= unchanged || (at >= changed && mark !== thought.mark)
}

/** How a kept thought differs from what it was before. */
export function changeOf(
  before: Thought,
  after: Pick<Thought, "text" | "room">,
): "kept" | "refined" | "redirected" {
  const isSameRoom = JSON.stringify(before.room) === JSON.stringify(after.room)
  if (!isSameRoom) return "redirected"
  return before.text === after.text ? "kept" : "refined"
}
