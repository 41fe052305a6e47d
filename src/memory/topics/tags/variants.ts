/** Words that end like a plural but are not. */
const noPlurals = new Set(
  "windows rails pandas news jenkins kubernetes postgres series species sales analytics graphics ios macos tls".split(
    " ",
  ),
)

/** A word without its English plural ending. */
export function singular(word: string): string {
  if (word.length < 4 || noPlurals.has(word) || /(ss|us|is|os|as)$/.test(word)) return word
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`
  if (/(x|ch|sh|ss|zz)es$/.test(word)) return word.slice(0, -2)
  return word.endsWith("s") ? word.slice(0, -1) : word
}

/** Equal for tags that differ only in case, separators, or singular and plural. */
function variantKey(tag: string): string {
  return tag
    .normalize("NFKC")
    .toLowerCase()
    .split(/[\s_-]+/)
    .filter((word) => word !== "")
    .map(singular)
    .join("-")
}

/** A tag and how many memories have it: explicitly (`memories`), and inferred. */
export interface TagUse {
  name: string
  memories: number
  inferred: number
  /** The user's description of the tag. */
  description?: string | undefined
}

/** Maps each variant to the most used tag of its group; ties go to the first in the alphabet. */
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
