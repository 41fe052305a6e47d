/** Whose quota a call uses. Two accesses to one subscription share its pool. */
export const pools = [
  "openai-subscription",
  "anthropic-subscription",
  "openai-key",
  "anthropic-key",
  "openrouter-key",
  "local",
  /** Providers that only the user's own tools use. */
  "other",
] as const
export type Pool = (typeof pools)[number]

/** Percent of a window, or tokens or requests of a bucket. */
export type LimitUnit = "percent" | "tokens" | "input-tokens" | "output-tokens" | "requests"

/** The use of one limit window at a moment. */
export interface LimitReading {
  /** Its name in the pool: "5h", "7d", "tokens", "requests", … */
  window: string
  unit: LimitUnit
  /** The total until the next reset; 100 for percent. */
  capacity: number
  used: number
  /** Null if the provider does not say. */
  resetsAt: number | null
  lengthMs: number | null
  /** When it was measured. */
  at: number
}
