import type { ConversationState } from "../state.ts"
import { change, type Step } from "../step.ts"

/** At most this many ids are stored to recognise duplicates. */
const maxSeen = 300
/** While missed messages are fetched, live messages arrive a second time: more ids are stored. */
const maxSeenInGap = 3000
/** Messages may arrive out of order: missed ones are fetched from this many before the last. */
export const overlap = 20

/** Stores a message's id; false if it was stored before. */
export function markSeen(step: Step, id: string): boolean {
  const { seen } = step.state
  if (seen.includes(id)) return false
  change(step, { seen: [...seen, id] })
  trimSeen(step)
  return true
}

export function trimSeen(step: Step): void {
  const { seen, gapAfter } = step.state
  const most = gapAfter === null ? maxSeen : maxSeenInGap
  if (seen.length > most) change(step, { seen: seen.slice(-most) })
}

/** The message after which some may be missing; an older gap that is still open starts further back. */
export function gapStart({ gapAfter, seen }: ConversationState): string | null {
  return gapAfter ?? seen.at(-overlap) ?? seen[0] ?? null
}
