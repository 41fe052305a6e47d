/** Names that end like a plural and are none. */
const noPlurals = new Set(
  "windows rails pandas news jenkins kubernetes postgres series species sales analytics graphics ios macos tls".split(
    " ",
  ),
)

/** A word without the ending of an English plural. */
export function singular(word: string): string {
  if (word.length < 4 || noPlurals.has(word) || /(ss|us|is|os|as)$/.test(word)) return word
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`
  if (/(x|ch|sh|ss|zz)es$/.test(word)) return word.slice(0, -2)
  return word.endsWith("s") ? word.slice(0, -1) : word
}

/** The same for tags that differ only in case, in what separates their words, or in number. */
function variantKey(tag: string): string {
  return tag
    .normalize("NFKC")
    .toLowerCase()
    .split(/[\s_-]+/)
    .filter((word) => word !== "")
    .map(singular)
    .join("-")
}

/** A tag and how many memories have it, told and inferred. */
export interface TagUse {
  name: string
  memories: number
  inferred: number
  /** What it means, where somebody said so. */
  description?: string | undefined
}

/** Which tag each variant becomes: the most used one, then the first of the alphabet. */
export function findVariants(uses: readonly TagUse[]): Map<string, string> {
  const groups = Map.groupBy(uses, ({ name }) => variantKey(name))
  const into = new Map<string, string>()
  for (const group of groups.values()) {
    const [best, ...others] = group.toSorted(
      (a, b) => b.memories - a.memories || b.inferred - a.inferred || (a.name < b.name ? -1 : 1),
    )
    for (const { name } of best ? others : []) into.set(name, best?.name ?? name)
  }
  return into
}
