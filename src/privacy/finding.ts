/** A secret or a piece of personal data in a text. `end` is exclusive. */
export interface Finding {
  /** Such as github-token, private-key, email or env-value. */
  kind: string
  start: number
  end: number
}

/** Finds one sort of secret in a text, in time linear in its length. */
export type Detector = (text: string) => Finding[]

/** Findings for the group `value` of a pattern (flags d and g), wherever `isSecret` accepts the value. */
export function findValues(
  text: string,
  pattern: RegExp,
  kind: string,
  isSecret: (value: string) => boolean,
): Finding[] {
  const found: Finding[] = []
  for (const { indices, groups } of text.matchAll(pattern)) {
    const [start, end] = indices?.groups?.value ?? []
    if (start === undefined || end === undefined) continue
    if (isSecret(groups?.value ?? "")) found.push({ kind, start, end })
  }
  return found
}

/**
 * Replaces each character of a finding while the rest of the text is scanned. No rule matches it or reads across it, so
 * earlier removals do not change what is found later.
 */
export const blank = "\uFFFC"

/** The marks that replace findings in a screened text. */
const marks = /\[[a-z0-9-]{1,40} removed\]/g

/** The text with marks of earlier screenings blanked; its length does not change. */
export function blankMarks(text: string): string {
  return text.includes(" removed]") ? text.replaceAll(marks, (mark) => blank.repeat(mark.length)) : text
}

/** The text with the findings blanked; its length does not change. */
export function blankOut(text: string, findings: readonly Finding[]): string {
  return rebuild(text, findings, ({ start, end }) => blank.repeat(end - start))
}

/** The text with each finding replaced by its mark. */
export function redact(text: string, findings: readonly Finding[]): string {
  return rebuild(text, findings, markOf)
}

function markOf({ kind }: Finding): string {
  return `[${kind} removed]`
}

/** Findings in a redacted text, at their positions in the text before. Expects `removed` as `mergeFindings` returns it. */
export function beforeRedaction(findings: readonly Finding[], removed: readonly Finding[]): Finding[] {
  const positionBefore = (position: number) => {
    let shift = 0
    for (const finding of removed) {
      const length = markOf(finding).length
      if (position < finding.start + shift + length) break
      shift += length - (finding.end - finding.start)
    }
    return position - shift
  }
  return findings.map(({ kind, start, end }) => ({
    kind,
    start: positionBefore(start),
    end: positionBefore(end),
  }))
}

/** Findings sorted by position. Overlapping ones become one, of the kind of the longest. */
export function mergeFindings(findings: readonly Finding[]): Finding[] {
  const result: Finding[] = []
  let longest = 0
  for (const finding of findings.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1)
    const length = finding.end - finding.start
    if (last === undefined || finding.start >= last.end) {
      result.push({ ...finding })
      longest = length
      continue
    }
    last.end = Math.max(last.end, finding.end)
    if (length > longest) {
      last.kind = finding.kind
      longest = length
    }
  }
  return result
}

/** Expects findings as `mergeFindings` returns them. */
function rebuild(text: string, findings: readonly Finding[], replace: (finding: Finding) => string): string {
  let result = ""
  let at = 0
  for (const finding of findings) {
    result += text.slice(at, finding.start) + replace(finding)
    at = finding.end
  }
  return result + text.slice(at)
}
