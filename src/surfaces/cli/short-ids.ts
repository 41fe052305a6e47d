/** Shorter than this an id is hardly ever the only one. */
const least = 6

/** The end of each id, as long as it takes to be the only one among these. Commands take the end for the whole. */
export function shortIds(ids: readonly string[]): (id: string) => string {
  const all = [...new Set(ids)]
  let length = least
  while (new Set(all.map((id) => id.slice(-length))).size < all.length) length += 1
  return (id) => (id.length <= length + 2 ? id : id.slice(-length))
}
