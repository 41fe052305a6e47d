import { hasOpenReference } from "../../../language/read/open-reference.ts"
import { sentencesOf } from "../../../language/read/sentences.ts"
import { mustSkip } from "../../../language/read/skip-reason.ts"
import { asSentence } from "../../../language/read/third-person.ts"
import { inferType } from "../infer-type.ts"
import type { Draft } from "./rule.ts"

const yes =
  /^(?:(?:yes|yep|yeah|yup|exactly|correct|right|absolutely|that's (?:right|correct|it)|that is (?:right|correct)|you got it)(?:[\s,!.]+(?:exactly|that's (?:right|correct)|that is (?:right|correct)|correct|indeed|right))?)\s*(?:[.!,]|$)/i

/** How an agent asks whether it understood; the group is the statement. */
const asks: readonly RegExp[] = [
  /^(?:so,? )?if i understand (?:you )?(?:correctly|right)[,:]\s*(.+)$/i,
  /^(?:just )?to (?:confirm|be sure|double-check|clarify|make sure)[,:]\s*(.+)$/i,
  /^(?:just )?so i (?:get|have) (?:it|this|that) right[,:]\s*(.+)$/i,
  /^did i (?:get|understand) (?:that|this|it|you) (?:right|correctly)[,:]\s*(.+)$/i,
  /^(?:so|it looks like|i gather(?: that)?|i take it(?: that)?|understood[,:]|my understanding is that)\s+(.+?)(?:, (?:is that|right|correct).*)?$/i,
]

/** Words that make an agent's statement a lasting one. */
const lasting =
  /\b(?:always|never|prefers?|must|only|should (?:always|never)|uses?|nobody|no one|every|are (?:stored|kept|written|returned)|is (?:written|called|owned|managed|kept|stored))\b/i

/** A statement of the agent that the user confirms. */
export function readConfirmation(answer: string, answered: string | undefined): Draft | undefined {
  if (answered === undefined || !yes.test(answer.trim())) return undefined
  const sentences = sentencesOf(answered)
  const last = sentences.slice(-2)
  const isAsked = last.some(({ text, end }) => end === "?" && /\b(?:right|correct|confirm)\b/i.test(text))
  for (const { text, end } of last) {
    const statement = asks.map((ask) => ask.exec(text)?.[1]).find((one) => one !== undefined)
    if (statement === undefined) continue
    const isPlainSo = /^(?:so|it looks like|i gather|i take it|understood|my understanding)/i.test(text)
    if (isPlainSo && !isAsked && end !== "?") continue
    const content = statement
      .replace(/,? (?:is that (?:right|correct)|right|correct)$/i, "")
      .replace(/^that /i, "")
    if (!lasting.test(content) || hasOpenReference(content) || mustSkip(content, "")) continue
    // The words are the agent's and may come from anywhere, so one "yes" is not enough.
    return {
      content: ofTheUser(content),
      type: inferType(ofTheUser(content)),
      confidence: 0.6,
      quarantined: true,
    }
  }
  return undefined
}

function ofTheUser(text: string): string {
  return asSentence(
    text
      .replace(/^you (prefer|like|want|use|need)\b/i, "The user $1s")
      .replaceAll(/\byou\b/gi, "the user")
      .replaceAll(/\byour\b/gi, "the user's"),
  )
}
