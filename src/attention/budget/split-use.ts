/** The three parts of a window's bar, which add up to its capacity. */
export interface SplitUse {
  user: number
  ambient: number
  remaining: number
}

/**
 * Whose use fills a window. Own use is known to the token; whatever else is used is the user's, seen or not. While the
 * price of a token is not known, the tokens of both tell the shares.
 */
export function splitUse(
  window: { used: number; capacity: number },
  tokens: { user: number; ambient: number },
  perToken: number | undefined,
): SplitUse {
  const used = Math.min(window.capacity, Math.max(0, window.used))
  const all = tokens.user + tokens.ambient
  const share =
    perToken === undefined ? (all > 0 ? (used * tokens.ambient) / all : 0) : tokens.ambient * perToken
  const ambient = Math.min(used, Math.max(0, share))
  return { user: used - ambient, ambient, remaining: window.capacity - used }
}
