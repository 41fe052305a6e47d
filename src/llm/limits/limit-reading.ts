/** Whose allowance a call draws on. Both ways into one subscription share its pool. */
export const pools = [
  "openai-subscription",
  "anthropic-subscription",
  "openai-key",
  "anthropic-key",
  "openrouter-key",
  "local",
  /** Providers that only the user's own tools ask. */
  "other",
] as const
export type Pool = (typeof pools)[number]

/** What a limit counts: a share of a window in percent, or tokens or requests of a bucket. */
export type LimitUnit = "percent" | "tokens" | "input-tokens" | "output-tokens" | "requests"

/** How full one window of a pool was at a moment. */
export interface LimitReading {
  /** Its name within the pool: "5h", "7d", "tokens", "requests", ... */
  window: string
  unit: LimitUnit
  /** All there is of it until it resets; 100 for percent. */
  capacity: number
  used: number
  /** Null where the provider does not tell. */
  resetsAt: number | null
  lengthMs: number | null
  /** When it was so. */
  at: number
}
