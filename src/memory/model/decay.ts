import { lastSaid, type Memory } from "./memory.ts"

const dayMs = 86_400_000
const hourMs = 3_600_000

/** After this many days without being confirmed, a memory is believed half as much. */
const halfLifeDays: Record<Memory["type"], number> = {
  correction: 365,
  negative: 365,
  preference: 90,
  procedure: 60,
  entity: 60,
  fact: 30,
  observation: 7,
}
/** What was only guessed fades fast, whatever it is about. */
const inferredHalfLifeDays = 7

/** Below this a memory may be archived. */
const archiveBelow = 0.1
/** Below this, and never said again, it is. */
const pruneBelow = 0.05

/** What of a memory decides how far it is believed. */
export type Aging = Pick<
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

/** How far a memory is believed, and what makes it so: the last is the product of the others, at most 1. */
export interface Belief {
  /** Since it was last confirmed. */
  days: number
  halfLifeDays: number
  confidence: number
  /** What time left of it. */
  faded: number
  /** What use adds. */
  used: number
  /** What its source takes away. */
  trusted: number
  now: number
}

/** When a memory was last confirmed: said, said again, or checked. Being read confirms nothing. */
export function confirmedAt(memory: Aging): number {
  return Math.max(lastSaid(memory), memory.verifiedAt ?? 0)
}

/** How far a memory is believed at this time, with its reasons: it halves with time, use and trust hold it up. */
export function beliefIn(memory: Aging, now: number): Belief {
  const { confidence } = memory
  const days = Math.max(0, now - confirmedAt(memory)) / dayMs
  const halfLife = memory.source === "inferred" ? inferredHalfLifeDays : halfLifeDays[memory.type]
  const faded = 0.5 ** (days / halfLife)
  const used = 1 + 0.1 * Math.log(memory.accessCount + 1)
  const trusted = 0.5 + 0.5 * memory.trust
  const product = Math.min(1, confidence * faded * used * trusted)
  return { days, halfLifeDays: halfLife, confidence, faded, used, trusted, now: product }
}

/** How far a memory is believed at this time, 0 to 1. */
export function confidenceAt(memory: Aging, now: number): number {
  return beliefIn(memory, now).now
}

/** What recent use adds: 1 for long ago, up to 1 + the memory's recency weight for just now. */
export function recencyBoost({ accessedAt, details }: Memory, now: number): number {
  if (accessedAt === null) return 1
  const hours = Math.max(0, now - accessedAt) / hourMs
  return 1 + (details.recencyWeight ?? 0.5) * Math.exp(-hours / 24)
}

/** Whether a memory is so faint that it may go to the archive. */
export function isFaint(memory: Aging, now: number): boolean {
  return confidenceAt(memory, now) < archiveBelow
}

/** Whether a memory goes to the archive by itself: hardly believed, and never said again. */
export function isExpired(memory: Aging, now: number): boolean {
  return confidenceAt(memory, now) < pruneBelow && memory.strength <= 1
}
