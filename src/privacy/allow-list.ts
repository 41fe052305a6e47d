import type { Finding } from "./finding.ts"

/** What the user declared harmless. */
export interface AllowList {
  /** Whether this finding of this text may stay. */
  allows(text: string, finding: Finding): boolean
}

const asPattern = /^\/(?<source>.+)\/(?<flags>[imsu]*)$/s

/** The regular expression an entry of the form /…/ means, which must match a finding whole; undefined for plain text. */
function patternOf(entry: string): RegExp | undefined {
  const { source, flags } = asPattern.exec(entry)?.groups ?? {}
  return source === undefined ? undefined : new RegExp(`^(?:${source})$`, flags)
}

/** Reads the entries once. A plain text allows what is found inside it, an expression what it matches whole. */
export function createAllowList(entries: readonly string[]): AllowList {
  const patterns = entries.flatMap((entry) => patternOf(entry) ?? [])
  const texts = entries.filter((entry) => entry !== "" && patternOf(entry) === undefined)
  return {
    allows(text, { start, end }) {
      const found = text.slice(start, end)
      if (patterns.some((pattern) => pattern.test(found))) return true
      return texts.some((allowed) => {
        const around = text.slice(Math.max(0, end - allowed.length), start + allowed.length)
        return allowed.length >= found.length && around.includes(allowed)
      })
    },
  }
}
