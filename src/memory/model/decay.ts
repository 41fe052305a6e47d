import { lastStatedAt, type Memory } from "./memory.ts"

const dayMs = 86_400_000
const hourMs = 3_600_000

/** Days without confirmation after which the confidence halves. */
const halfLifeDays: Record<Memory["type"], number> = {
  correction: 365,
  negative: 365,
  preference: 90,
  procedure: 60,
  entity: 60,
  fact: 30,
  observation: 7,
}
/** The half-life of inferred memories of every type. */
const inferredHalfLifeDays = 7

/** A memory below this confidence may be archived. */
const archiveBelow = 0.1
/** A memory below this confidence that was never stated again is archived. */
const pruneBelow = 0.05

/** The fields that decide a memory's current confidence. */
export type BeliefFields = Pick<
  Memory,
  | "type"
  | "source"
  | "createdAt"
  | "verifiedAt"
  | "details"
  | "accessCount"
  | "strength"
  | "confidence"
  | "trust"
>

/** A memory's current confidence `now`: the product of `confidence`, `faded`, `used` and `trusted`, at most 1. */
export interface Belief {
  /** Days since it was last confirmed. */
  days: number
  halfLifeDays: number
  confidence: number
  /** The factor for age. */
  faded: number
  /** The factor for use. */
  used: number
  /** The factor for its source's trust. */
  trusted: number
  now: number
}

/** When a memory was last confirmed: stated, stated again, or verified. Reading it does not confirm it. */
export function confirmedAt(memory: BeliefFields): number {
  return Math.max(lastStatedAt(memory), memory.verifiedAt ?? 0)
}

/** A memory's confidence at this time, with the factors it is made of. */
export function beliefIn(memory: BeliefFields, now: number): Belief {
  const { confidence } = memory
  const days = Math.max(0, now - confirmedAt(memory)) / dayMs
  const halfLife = memory.source === "inferred" ? inferredHalfLifeDays : halfLifeDays[memory.type]
  const faded = 0.5 ** (days / halfLife)
  const used = 1 + 0.1 * Math.log(memory.accessCount + 1)
  const trusted = 0.5 + 0.5 * memory.trust
  const product = Math.min(1, confidence * faded * used * trusted)
  return { days, halfLifeDays: halfLife, confidence, faded, used, trusted, now: product }
}

/** A memory's confidence at this time, 0 to 1. */
export function confidenceAt(memory: BeliefFields, now: number): number {
  return beliefIn(memory, now).now
}

/** The factor for recent use: 1 for long ago, up to 1 + the memory's recency weight for just now. */
export function recencyBoost({ accessedAt, details }: Memory, now: number): number {
  if (accessedAt === null) return 1
  const hours = Math.max(0, now - accessedAt) / hourMs
  return 1 + (details.recencyWeight ?? 0.5) * Math.exp(-hours / 24)
}

/** Whether a memory's confidence is low enough to archive it on request, or when memory is over its capacity. */
export function mayBeArchived(memory: BeliefFields, now: number): boolean {
  return confidenceAt(memory, now) < archiveBelow
}

/** Whether a memory is archived automatically: its confidence is very low, and it was never stated again. */
export function isExpired(memory: BeliefFields, now: number): boolean {
  return confidenceAt(memory, now) < pruneBelow && memory.strength <= 1
}
