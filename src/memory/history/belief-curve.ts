import { readJournal } from "../../storage/journal.ts"
import type { Reader } from "../../storage/transaction.ts"
import { type Aging, confidenceAt } from "../model/decay.ts"
import type { Memory } from "../model/memory.ts"

/** How far a memory was believed at a moment, 0 to 1. */
interface BeliefPoint {
  at: number
  confidence: number
}

/** How far a memory was believed, and will be if nothing happens. */
interface BeliefCurve {
  past: BeliefPoint[]
  ahead: BeliefPoint[]
}

/** Points between two changes: enough for a smooth line. */
const steps = 12
const aheadMs = 90 * 86_400_000

/** How far a memory was believed since it is known, as its images in the journal tell. */
export async function beliefCurve(on: Reader, memory: Memory, now: number): Promise<BeliefCurve> {
  const entries = await readJournal(on, { subject: memory.id, kind: "memory.", limit: 1000 })
  const images = entries.flatMap(({ at, data }) => {
    const { after } = data as { after?: Aging | null }
    return after ? [{ from: at, image: after }] : []
  })
  const known = images.length > 0 ? images : [{ from: memory.createdAt, image: memory }]
  const past = known.flatMap(({ from, image }, index) => {
    // What was said long before it was stored has faded since.
    const start = index === 0 ? Math.min(from, memory.createdAt) : from
    return pointsOf(image, start, Math.max(from, known[index + 1]?.from ?? now))
  })
  const isHeld = memory.status === "active" || memory.status === "quarantined"
  return { past, ahead: isHeld ? pointsOf(memory, now, now + aheadMs) : [] }
}

function pointsOf(image: Aging, from: number, to: number): BeliefPoint[] {
  const count = to - from < 60_000 ? 1 : steps
  return Array.from({ length: count + 1 }, (_, index) => {
    const at = Math.round(from + ((to - from) * index) / count)
    return { at, confidence: Math.round(confidenceAt(image, at) * 1e4) / 1e4 }
  })
}
