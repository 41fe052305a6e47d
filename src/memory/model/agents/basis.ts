/**
 * The basis of a quarantined memory is a list of keys: `file:…`, `url:…`, `text:…`. This key says that none was found:
 * such a claim confirms no other, and no other confirms it.
 */
export const unknownBasis = "unknown"

const maxKeys = 100

/** Whether two sessions found the same in different sources. Without a basis on either side they count as different. */
export function areIndependent(
  known: readonly string[] | undefined,
  again: readonly string[] | undefined,
): boolean {
  if (known === undefined || again === undefined) return known === again
  if (known.includes(unknownBasis) || again.includes(unknownBasis)) return false
  const seen = new Set(known)
  return !again.some((key) => seen.has(key))
}

/** The basis of a memory after it was found again. A known key replaces `unknownBasis`. */
export function mergeBasis(
  known: readonly string[] | undefined,
  again: readonly string[] | undefined,
): string[] | undefined {
  if (known === undefined && again === undefined) return undefined
  const all = [...new Set([...(known ?? []), ...(again ?? [])])]
  const found = all.filter((key) => key !== unknownBasis)
  return (found.length > 0 ? found : all).slice(-maxKeys)
}
