import type { Allowance } from "./decide.ts"

/** What one token costs, by the id of the window; undefined while it is unknown. */
export type TokenPrices = Readonly<Record<string, number | undefined>>

/**
 * The most tokens one cycle may use: the configured number, or less if a window allows less. A window that counts something
 * else, with an unknown price, only matters if it allows nothing.
 */
export function tokenStop(allowance: readonly Allowance[], prices: TokenPrices, mostTokens: number): number {
  const limits = allowance.map(({ id, unit, amount }) => {
    if (!(amount > 0)) return 0
    const price = prices[id] ?? (isTokens(unit) ? 1 : undefined)
    return price !== undefined && price > 0 ? amount / price : Number.POSITIVE_INFINITY
  })
  return Math.max(0, Math.floor(Math.min(mostTokens, ...limits)))
}

function isTokens(unit: Allowance["unit"]): boolean {
  return unit === "tokens" || unit === "input-tokens" || unit === "output-tokens"
}
