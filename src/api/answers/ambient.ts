import { ambientNow } from "../../activities/tend/control.ts"
import type { Cycle } from "../../attention/cycles.ts"
import type { QueueItem } from "../../attention/queue.ts"
import { isoTime } from "../../base/clock.ts"
import type { AmbientAnswer, CycleJson, QueueItemJson } from "../contract.ts"
import type { AppNeeds } from "../needs.ts"
import { schemaVersion } from "./answer.ts"

/** How it stands with tending. */
export async function ambientAnswer(needs: AppNeeds): Promise<AmbientAnswer> {
  const now = await ambientNow(needs, needs.daemon?.scheduler?.())
  const { queue, lastCycle, nextWake, pausedUntil, trust, status, reason } = now
  const [next] = queue.toSorted((a, b) => a.dueAt - b.dueAt)
  return {
    schemaVersion,
    status,
    reason,
    queue: { count: queue.length, next: next ? presentItem(next) : null },
    lastCycle: lastCycle ? presentCycle(lastCycle) : null,
    nextWake: nextWake === null ? null : isoTime(nextWake),
    pausedUntil: typeof pausedUntil === "number" ? isoTime(pausedUntil) : pausedUntil,
    trust,
  }
}

export function presentItem(item: QueueItem): QueueItemJson {
  return { ...item, dueAt: isoTime(item.dueAt), createdAt: isoTime(item.createdAt) }
}

export function presentCycle(cycle: Cycle): CycleJson {
  const endedAt = cycle.endedAt === null ? null : isoTime(cycle.endedAt)
  return { ...cycle, startedAt: isoTime(cycle.startedAt), endedAt }
}
