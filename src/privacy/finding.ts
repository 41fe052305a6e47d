/** One stretch of a text that must not be kept: what it is, and where it stands (end not included). */
export interface Finding {
  /** Such as github-token, private-key, email or env-value. */
  kind: string
  start: number
  end: number
}

/** Looks for one sort of thing in a text; must take time linear in its length. */
export type Detector = (text: string) => Finding[]

/** Finds the group `value` of a pattern (with the flags d and g) wherever it matches and holds a secret. */
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
 * Stands where something was removed while a text is looked through. No rule takes it for part of a secret, and none
 * looks past it, so that what is found does not depend on what was removed before.
 */
export const hole = "\uFFFC"

/** What stands in a screened text instead of a secret. */
const marks = /\[[a-z0-9-]{1,40} removed\]/g

/** The text with a hole wherever something was removed earlier; as long as before. */
export function withHoles(text: string): string {
  return text.includes(" removed]") ? text.replaceAll(marks, (mark) => hole.repeat(mark.length)) : text
}

/** The text with holes instead of the findings; as long as before. */
export function cutOut(text: string, findings: readonly Finding[]): string {
  return rebuild(text, findings, ({ start, end }) => hole.repeat(end - start))
}

/** The text with each finding replaced by its mark. */
export function redact(text: string, findings: readonly Finding[]): string {
  return rebuild(text, findings, ({ kind }) => `[${kind} removed]`)
}

/** Findings in their order, those that overlap made one, under the kind of the longest. */
export function merged(findings: readonly Finding[]): Finding[] {
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

/** Expects findings as `merged` gives them. */
function rebuild(text: string, findings: readonly Finding[], put: (finding: Finding) => string): string {
  let result = ""
  let at = 0
  for (const finding of findings) {
    result += text.slice(at, finding.start) + put(finding)
    at = finding.end
  }
  return result + text.slice(at)
}
