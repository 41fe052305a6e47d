import type { Finding } from "./finding.ts"

const asPattern = /^\/(?<source>.+)\/(?<flags>[imsu]*)$/s

/** The regular expression of an entry such as /…/, anchored at both ends; undefined for plain text. */
function patternOf(entry: string): RegExp | undefined {
  const { source, flags } = asPattern.exec(entry)?.groups ?? {}
  return source === undefined ? undefined : new RegExp(`^(?:${source})$`, flags)
}

/**
 * Creates the test for `privacy.allow`: whether a finding need not be removed from a text. A plain entry allows every
 * finding inside it; a regular expression allows findings that it matches in full.
 */
export function createAllowList(entries: readonly string[]): (text: string, finding: Finding) => boolean {
  const patterns = entries.flatMap((entry) => patternOf(entry) ?? [])
  const texts = entries.filter((entry) => entry !== "" && patternOf(entry) === undefined)
  return (text, { start, end }) => {
    const found = text.slice(start, end)
    if (patterns.some((pattern) => pattern.test(found))) return true
    return texts.some((allowed) => {
      const context = text.slice(Math.max(0, end - allowed.length), start + allowed.length)
      return allowed.length >= found.length && context.includes(allowed)
    })
  }
}
