/**
 * How much of what fills a window is own use. It is known to the token; whatever else is used is the user's, seen or not.
 * While the price of a token is not known, the tokens of both tell the shares.
 */
export function ambientUse(
  window: { used: number; capacity: number },
  tokens: { user: number; ambient: number },
  perToken: number | undefined,
): number {
  const used = Math.min(window.capacity, Math.max(0, window.used))
  const all = tokens.user + tokens.ambient
  const share =
    perToken === undefined ? (all > 0 ? (used * tokens.ambient) / all : 0) : tokens.ambient * perToken
  return Math.min(used, Math.max(0, share))
}
