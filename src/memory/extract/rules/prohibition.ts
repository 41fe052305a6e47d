import type { Draft, Reading } from "./read/reading.ts"
import { isDangling } from "./read/reference.ts"
import { inThirdPerson } from "./read/third-person.ts"
import { triggersOf } from "./read/trigger-words.ts"
import { workVerbs } from "./read/words.ts"

/** What makes a single "don't" a rule: it holds for all times, for the whole project, or but for a permission. */
const lasting =
  /\b(?:ever|anymore|any more|any longer|again|at all|under any circumstances|(?:in|into|from|to|of) this (?:repo|repository|project|codebase|product|package|monorepo|app|service|library|team)|in (?:our|the) (?:codebase|repo|code|project|tests|frontend|backend|docs)|here$|here,|without (?:asking|my|an?|our|telling|permission|approval)|unless i|for privacy|for security)\b/i

const beginnings: readonly [RegExp, "verb" | "any", boolean][] = [
  [/^never(?:, ever|,? ever)? (?!mind\b|again\b)(?<verb>[a-z-]+)\b/i, "verb", true],
  [/^(?:don't|do not) ever (?<verb>[a-z-]+)\b/i, "verb", true],
  [/^under no circumstances (?:should|may|must|do|can) (?:you|we|anyone)\b/i, "any", true],
  [/^you (?:must|may|should|can|shall|are) (?:never|not ever) (?<verb>[a-z-]+)\b/i, "verb", true],
  [/^you(?:'re| are) (?:not|never) (?:allowed|permitted|supposed) to (?<verb>[a-z-]+)\b/i, "verb", true],
  [
    /^it(?:'s| is) (?:strictly )?(?:forbidden|prohibited|not allowed|verboten) to (?<verb>[a-z-]+)\b/i,
    "any",
    true,
  ],
  [/^(?:nobody|no one) (?:is (?:supposed|allowed) to|may|should|must|can) (?<verb>[a-z-]+)\b/i, "verb", true],
  [
    /^we (?:never|must not|must never|may not|are not allowed to|cannot|can't) (?:ever )?(?<verb>[a-z-]+)\b/i,
    "verb",
    true,
  ],
  [/^we (?:don't|do not) (?:allow|permit|accept|tolerate)\b/i, "any", true],
  [
    /^we (?:don't|do not) (?:ever )?(?<verb>log|store|commit|mock|push|merge|deploy|expose|share|squash|hardcode|hard-code|ship|vendor|edit|rebase|publish)\b/i,
    "verb",
    true,
  ],
  [/^you (?:do not|don't) (?<verb>[a-z-]+)\b/i, "verb", false],
  [
    /^stop (?:using|adding|writing|creating|generating|putting|inventing|assuming|committing|pushing|deleting|renaming|reformatting|importing) (?!the\b|it\b|that\b|this\b)/i,
    "any",
    true,
  ],
  [/^(?:don't|do not) (?<verb>[a-z-]+)\b/i, "verb", false],
  [/^avoid (?:using |adding |writing )?\w/i, "any", false],
  [
    /^no (?!need\b|problem\b|idea\b|worries\b|way\b|one\b|thanks\b|longer\b|matter\b|rush\b|more\b)[\w.`@/-]+/i,
    "any",
    false,
  ],
]

/** What must not be done, as a rule. */
export function readProhibition({ text }: Reading): Draft | undefined {
  for (const [pattern, needs, isRule] of beginnings) {
    const match = pattern.exec(text)
    if (match === null) continue
    const verb = match.groups?.verb?.toLowerCase()
    if (needs === "verb" && !(verb !== undefined && workVerbs.has(verb))) return undefined
    if (!isRule && !isLasting(text)) return undefined
    if (isDangling(withoutImpersonal(text))) return undefined
    if (text.split(/\s+/).length < 3) return undefined
    const content = inThirdPerson(text)
    return { content, type: "negative", confidence: 0.9, strong: true, triggers: triggersOf(content) }
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
