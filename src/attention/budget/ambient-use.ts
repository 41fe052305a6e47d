/**
 * How much of a window Reverie itself has used. All other use counts as the user's. While the price of a token is unknown,
 * the window is divided in proportion to the tokens of both.
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
