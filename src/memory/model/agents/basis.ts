/** What a supposed memory rests on, as short keys: `file:`, `url:` and `text:`, or that nobody knows. */

/** Nothing was found that it rests on: such a claim bears out nothing, and nothing like it bears it out. */
export const unknownBasis = "unknown"

const mostKeys = 100

/** Whether two sessions found the same in different sources; where neither tells, they count as different. */
export function areIndependent(
  known: readonly string[] | undefined,
  again: readonly string[] | undefined,
): boolean {
  if (known === undefined || again === undefined) return known === again
  if (known.includes(unknownBasis) || again.includes(unknownBasis)) return false
  const seen = new Set(known)
  return !again.some((key) => seen.has(key))
}

/** Everything that a memory rests on once it was found again; where something is known of it, that alone counts. */
export function joinedBasis(
  known: readonly string[] | undefined,
  again: readonly string[] | undefined,
): string[] | undefined {
  if (known === undefined && again === undefined) return undefined
  const all = [...new Set([...(known ?? []), ...(again ?? [])])]
  const told = all.filter((key) => key !== unknownBasis)
  return (told.length > 0 ? told : all).slice(-mostKeys)
}
