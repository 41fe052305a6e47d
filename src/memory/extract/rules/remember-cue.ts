import { hasOpenReference } from "../../../language/read/open-reference.ts"
import { asSentence, inThirdPerson } from "../../../language/read/third-person.ts"
import { triggersOf } from "../../../language/read/trigger-words.ts"
import { inferType } from "../infer-type.ts"
import type { Draft, Reading } from "./rule.ts"

const polite = `(?:please |pls |can you |could you |would you |you should |you must |i want you to |i need you to |i'd like you to |let's |let us |important to |one thing to |worth |always |also )*`

/** Requests to remember; the group is the statement. */
const cues: readonly RegExp[] = [
  new RegExp(
    String.raw`^${polite}remember(?:ing)?(?: this| the following| for (?:next time|later|the future)| is)?(?:\s*:|,? that|\s+is that)\s+(.+)$`,
    "i",
  ),
  new RegExp(String.raw`^${polite}remember (?=(?:i'm|im|i am|i|we|we're|our|my)\b)(.+)$`, "i"),
  /^(?:please |also |just )*(?:keep|bear) in mind(?:\s*[:,]| that)\s+(.+)$/i,
  /^(?:please |also )*(?:don't|do not|never) forget(?: that|:)\s+(.+)$/i,
  /^(?:please |pls )*(?:make|take) (?:a )?note(?:\s*:| that)\s+(.+)$/i,
  /^note (?:for (?:later|the future|next time)|to self|for yourself)\s*[:,]\s+(.+)$/i,
  /^(?:fyi,? )?for (?:future reference|the future|the record|next time)\s*[:,]\s+(.+)$/i,
  /^(?:please |pls )*(?:save|store|put|add|write|commit) (?:this|the following|it)?\s*(?:fact)?\s*(?:to|in|into) (?:your |the )?(?:long-term )?memory\s*(?::|,|that)\s*(.+)$/i,
  /^(?:please |pls )*(?:save|store|memori[sz]e) (?:this|the following)(?: fact)?\s*:\s+(.+)$/i,
  /^(?:please |pls )*(?:memori[sz]e) that\s+(.+)$/i,
  // In other languages only these cues are understood.
  /^(?:bitte )?merke? dir(?: bitte)?[,:]?(?: dass)?\s+(.+)$/i,
  /^(?:por favor,? )?(?:recuerda|recordá|acuérdate de)(?: que|:)\s+(.+)$/i,
  /^(?:s'il te plaît,? )?(?:retiens|souviens-toi|rappelle-toi|note)(?: bien)?(?: que| :|:)\s+(.+)$/i,
  /^(?:por favor,? )?(?:lembre-se|lembra-te)(?: de)? que\s+(.+)$/i,
  /^(?:per favore,? )?(?:ricorda|ricordati)(?: che|:)\s+(.+)$/i,
  /^(?:onthoud|onthou)(?: alsjeblieft)?(?: dat|:)\s+(.+)$/i,
  /^(?:zapamiętaj,? że|zapamatuj si,? že)\s+(.+)$/i,
  /^(?:пожалуйста,? )?запомни(?:те)?(?:,? что|:)\s+(.+)$/i,
  /^(?:请)?记住[:：,，]?\s*(.+)$/,
  /^(?:覚えておいて|覚えて)[:：、,]?\s*(.+)$/,
]

/** What the user explicitly asks to remember. */
export function readRememberCue({ text }: Pick<Reading, "text">): Draft | undefined {
  for (const cue of cues) {
    const statement = cue
      .exec(text)?.[1]
      ?.trim()
      .replace(/[?!.]+$/, "")
    if (statement === undefined) continue
    if (
      /^(?:to|when|how|what|why|where|the (?:bug|issue|thing|time|day))\b/i.test(statement) &&
      !/\b(?:is|are|was|must|has|have|runs?|gets?|needs?)\b/i.test(statement)
    )
      return undefined
    if (statement.length < 8 || hasOpenReference(statement)) return undefined
    const content = /[^\p{ASCII}\p{Script=Latin}\p{P}]/u.test(statement)
      ? statement
      : inThirdPerson(statement)
    const type = inferType(content)
    return {
      content: asSentence(content),
      type,
      source: "user-stated",
      confidence: 1,
      strong: true,
      ...(type === "negative" ? { triggers: triggersOf(content) } : {}),
    }
  }
  return undefined
}
