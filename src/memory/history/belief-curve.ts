import { readJournal } from "../../storage/journal.ts"
import type { Reader } from "../../storage/transaction.ts"
import { type BeliefFields, confidenceAt } from "../model/decay.ts"
import type { Memory } from "../model/memory.ts"

interface BeliefPoint {
  at: number
  /** 0 to 1. */
  confidence: number
}

/** Points between two changes: enough for a smooth line. */
const steps = 12
const aheadMs = 90 * 86_400_000

/** A memory's confidence since it was saved, from its images in the journal, and its decay over the next 90 days. */
export async function beliefCurve(on: Reader, memory: Memory, now: number) {
  const entries = await readJournal(on, { subject: memory.id, kind: "memory.", limit: 1000 })
  const images = entries.flatMap(({ at, data }) => {
    const { after } = data as { after?: BeliefFields | null }
    return after ? [{ from: at, image: after }] : []
  })
  const known = images.length > 0 ? images : [{ from: memory.createdAt, image: memory }]
  const past = known.flatMap(({ from, image }, index) => {
    // A memory may be older than its first entry, and has decayed since.
    const start = index === 0 ? Math.min(from, memory.createdAt) : from
    return pointsOf(image, start, Math.max(from, known[index + 1]?.from ?? now))
  })
  const isVisible = memory.status === "active" || memory.status === "quarantined"
  return { past, ahead: isVisible ? pointsOf(memory, now, now + aheadMs) : [] }
}

function pointsOf(image: BeliefFields, from: number, to: number): BeliefPoint[] {
  const count = to - from < 60_000 ? 1 : steps
  return Array.from({ length: count + 1 }, (_, index) => {
    const at = Math.round(from + ((to - from) * index) / count)
    return { at, confidence: Math.round(confidenceAt(image, at) * 1e4) / 1e4 }
  })
}
