import { hasOpenReference } from "../../../language/read/open-reference.ts"
import { inThirdPerson } from "../../../language/read/third-person.ts"
import { triggersOf } from "../../../language/read/trigger-words.ts"
import { workVerbs } from "../../../language/words/word-lists.ts"
import { inferType } from "../infer-type.ts"
import type { Draft, Reading } from "./rule.ts"

const cue = String.raw`(?:from (?:now|here|today|this point) on(?:wards?)?(?: out)?|going forward|moving forward|in (?:the )?future|henceforth|starting (?:today|now|tomorrow|this week)|as of (?:this week|today|now|this month)|for (?:all|any|every) future \w+|next time)`
const first = new RegExp(String.raw`^${cue}\s*[,:]?\s+(.+)$`, "i")
const last = new RegExp(String.raw`^(.+?),?\s+${cue}$`, "i")

/** Directives that apply from now on. */
export function readFromNowOn({ text }: Reading): Draft | undefined {
  const rest = (first.exec(text)?.[1] ?? last.exec(text)?.[1])
    ?.replace(/^(?:(?:please|pls|also|just|always)\s+)+(?=\w)/i, (polite) =>
      /always/i.test(polite) ? "always " : "",
    )
    .replace(/^i(?:'d| would) (?:like|want) you to\s+/i, "")
    .replace(/^i want you to\s+/i, "")
    .replace(/^you (?:should|must|have to|need to)\s+/i, "")
    .replace(/^no more\s+/i, "no ")
  if (rest === undefined || !isDirective(rest) || hasOpenReference(rest)) return undefined
  const content = inThirdPerson(rest)
  const isNegative = inferType(content) === "negative"
  return {
    content,
    type: isNegative ? "negative" : "preference",
    confidence: 0.9,
    strong: true,
    ...(isNegative ? { triggers: triggersOf(content) } : {}),
  }
}

/** Whether it says how to work: an order, a team rule, or a rule for a case. */
function isDirective(text: string): boolean {
  const [word = ""] = text.toLowerCase().split(/[\s,]+/)
  if (workVerbs.has(word) || /^(?:always|never|don't|do not|no|only|every|each|all|stop|avoid)\b/i.test(text))
    return true
  if (/^(?:whenever|when|before|after|if) (?:(?:you|we|i)\b|\w+ing\b).*,/i.test(text)) return true
  return (
    /^we (?:always |never |only |don't |do not )?(?:[a-z-]+)\b/i.test(text) && workVerbs.has(weVerb(text))
  )
}

function weVerb(text: string): string {
  return /^we (?:always |never |only |don't |do not )?([a-z-]+)/i.exec(text)?.[1]?.toLowerCase() ?? ""
}
