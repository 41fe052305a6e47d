import { ambientNow } from "../../activities/tend/control.ts"
import { isoTime } from "../../base/clock.ts"
import { isoTimes } from "../contract/iso-times.ts"
import type { AmbientJson } from "../contract/tending-answers.ts"
import type { AppNeeds } from "../needs.ts"

/** The state of tending. */
export async function ambientAnswer(needs: AppNeeds): Promise<AmbientJson> {
  const now = await ambientNow(needs, needs.daemon?.scheduler?.())
  const { queue, lastCycle, nextWake, pausedUntil, trust, status, reason } = now
  const [next] = queue.toSorted((a, b) => a.dueAt - b.dueAt)
  return {
    status,
    reason,
    queue: { count: queue.length, next: next ? isoTimes(next) : null },
    lastCycle: lastCycle ? isoTimes(lastCycle) : null,
    nextWake: nextWake === null ? null : isoTime(nextWake),
    pausedUntil: typeof pausedUntil === "number" ? isoTime(pausedUntil) : pausedUntil,
    trust,
  }
}
