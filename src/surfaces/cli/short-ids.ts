/** The fewest characters of a short id. */
const least = 6

/** Shortens ids to their ends, as long as needed to be unique among these. Commands accept such an end as the id. */
export function shortIds(ids: readonly string[]): (id: string) => string {
  const all = [...new Set(ids)]
  let length = least
  while (new Set(all.map((id) => id.slice(-length))).size < all.length) length += 1
  return (id) => (id.length <= length + 2 ? id : id.slice(-length))
}
