/** Whether a text contains one of the names as a whole word, in any case. */
export function mentions(text: string, names: readonly string[]): boolean {
  return names.some((name) => name !== "" && wordPattern(name).test(text))
}

/** The name must not touch a letter, digit or other character that nicks may contain. */
function wordPattern(name: string): RegExp {
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\/-]/g, (sign) => `\\${sign}`)
  return new RegExp(
    `(?<![\\p{L}\\p{N}_\\-\\[\\]\\\\^{|}\`])${escaped}(?![\\p{L}\\p{N}_\\-\\[\\]\\\\^{|}\`])`,
    "iu",
  )
}
