import { hasOpenReference } from "../../../language/read/open-reference.ts"
import { inThirdPerson } from "../../../language/read/third-person.ts"
import { triggersOf } from "../../../language/read/trigger-words.ts"
import { workVerbs } from "../../../language/words/word-lists.ts"
import type { Draft, Reading } from "./rule.ts"

/** What makes a single "don't" a rule: it applies always, in the whole project, or without permission. */
const lasting =
  /\b(?:ever|anymore|any more|any longer|again|at all|under any circumstances|(?:in|into|from|to|of) this (?:repo|repository|project|codebase|product|package|monorepo|app|service|library|team)|in (?:our|the) (?:codebase|repo|code|project|tests|frontend|backend|docs)|here$|here,|without (?:asking|my|an?|our|telling|permission|approval)|unless i|for privacy|for security)\b/i

/** Beginnings of rules. A verb in them must be one of work. */
const ruleBeginnings: readonly RegExp[] = [
  /^never(?:, ever|,? ever)? (?!mind\b|again\b)(?<verb>[a-z-]+)\b/i,
  /^(?:don't|do not) ever (?<verb>[a-z-]+)\b/i,
  /^under no circumstances (?:should|may|must|do|can) (?:you|we|anyone)\b/i,
  /^you (?:must|may|should|can|shall|are) (?:never|not ever) (?<verb>[a-z-]+)\b/i,
  /^you(?:'re| are) (?:not|never) (?:allowed|permitted|supposed) to (?<verb>[a-z-]+)\b/i,
  /^it(?:'s| is) (?:strictly )?(?:forbidden|prohibited|not allowed|verboten) to [a-z-]+\b/i,
  /^(?:nobody|no one) (?:is (?:supposed|allowed) to|may|should|must|can) (?<verb>[a-z-]+)\b/i,
  /^we (?:never|must not|must never|may not|are not allowed to|cannot|can't) (?:ever )?(?<verb>[a-z-]+)\b/i,
  /^we (?:don't|do not) (?:allow|permit|accept|tolerate)\b/i,
  /^we (?:don't|do not) (?:ever )?(?<verb>log|store|commit|mock|push|merge|deploy|expose|share|squash|hardcode|hard-code|ship|vendor|edit|rebase|publish)\b/i,
  /^stop (?:using|adding|writing|creating|generating|putting|inventing|assuming|committing|pushing|deleting|renaming|reformatting|importing) (?!the\b|it\b|that\b|this\b)/i,
]
/** Beginnings that are rules only in a lasting statement. */
const singleBeginnings: readonly RegExp[] = [
  /^you (?:do not|don't) (?<verb>[a-z-]+)\b/i,
  /^(?:don't|do not) (?<verb>[a-z-]+)\b/i,
  /^avoid (?:using |adding |writing )?\w/i,
  /^no (?!need\b|problem\b|idea\b|worries\b|way\b|one\b|thanks\b|longer\b|matter\b|rush\b|more\b)[\w.`@/-]+/i,
]

export function readProhibition({ text }: Reading): Draft | undefined {
  const rule = firstMatch(ruleBeginnings, text)
  const match = rule ?? firstMatch(singleBeginnings, text)
  if (match === undefined || (rule === undefined && !isLasting(text))) return undefined
  const verb = match.groups?.verb?.toLowerCase()
  if (verb !== undefined && !workVerbs.has(verb)) return undefined
  if (hasOpenReference(withoutImpersonal(text)) || text.split(/\s+/).length < 3) return undefined
  const content = inThirdPerson(text)
  return { content, type: "negative", confidence: 0.9, strong: true, triggers: triggersOf(content) }
}

function firstMatch(patterns: readonly RegExp[], text: string): RegExpExecArray | undefined {
  for (const pattern of patterns) {
    const match = pattern.exec(text)
    if (match !== null) return match
  }
  return undefined
}

function isLasting(text: string): boolean {
  if (
    /^(?:don't|do not|you (?:don't|do not)) (?:edit|touch|change|modify|commit) .*\b(?:generated|vendor|vendored|node_modules|dist|gen)\b/i.test(
      text,
    )
  )
    return true
  return lasting.test(text) || /,\s*(?:always|ever|please)$/i.test(text)
}

function withoutImpersonal(text: string): string {
  return text.replace(/^it(?:'s| is)\s+/i, "")
}
