import type { ConversationState } from "../state.ts"
import { change, type Step } from "../step.ts"

/** So many ids are remembered to know a message again that comes twice. */
const mostSeen = 300
/** While something is still to be fetched, what came live meanwhile will come once more: more are remembered. */
const mostSeenInGap = 3000
/** Messages may come a little out of their order: what was missed is looked for from so many before the last. */
export const overlap = 20

/** Notes a message; false if it was there before. */
export function noteSeen(step: Step, id: string): boolean {
  const { seen } = step.state
  if (seen.includes(id)) return false
  change(step, { seen: [...seen, id] })
  trimSeen(step)
  return true
}

export function trimSeen(step: Step): void {
  const { seen, gapAfter } = step.state
  const most = gapAfter === null ? mostSeen : mostSeenInGap
  if (seen.length > most) change(step, { seen: seen.slice(-most) })
}

/** The message after which something may have been missed; an older gap that is still open reaches further back. */
export function gapStart({ gapAfter, seen }: ConversationState): string | null {
  return gapAfter ?? seen.at(-overlap) ?? seen[0] ?? null
}
