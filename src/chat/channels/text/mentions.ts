/** Whether one of the names stands in a text as a word of its own, upper or lower case. */
export function mentions(text: string, names: readonly string[]): boolean {
  return names.some((name) => name !== "" && wordPattern(name).test(text))
}

/** A letter, digit or sign that nicks are made of, beside the name, makes it another name. */
function wordPattern(name: string): RegExp {
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\/-]/g, (sign) => `\\${sign}`)
  return new RegExp(
    `(?<![\\p{L}\\p{N}_\\-\\[\\]\\\\^{|}\`])${escaped}(?![\\p{L}\\p{N}_\\-\\[\\]\\\\^{|}\`])`,
    "iu",
  )
}
