import type { MemoryType } from "../../model/kinds.ts"
import { withoutLeadIn } from "./read/lead-in.ts"

const denial =
  /^(?:please )?(?:never\b|do not\b|don't\b|no\b|stop \w+ing\b|avoid\b|nobody\b|no one\b|under no circumstances\b|it is forbidden\b|(?:you|we) (?:must not|may not|never|don't|do not|are not allowed|should never|must never)\b|you're not allowed\b)/i
const wanted =
  /^(?:you|we|agents?|the (?:agent|assistant|model)) (?:should|must|have to|need to|ought to)\b|^[^.!?]{2,60}\b(?:should|must) (?:always |never |not )?(?:be|use|have|stay|keep|come|go|start|end|contain|include|follow)\b|^from now on\b/i
const taste =
  /^(?:the user|i)\b.*\b(?:prefers?|likes?|wants?|hates?|loves?|dislikes?|rather|favou?rs?|fan of)\b|^(?:always|use|write|put|keep|run|name|ask|add|format|explain|answer|call|make|include|check)\b|^we (?:always|prefer|favou?r|like|stick to|follow)\b|^when(?:ever)? (?:you|we)\b/i

/** The type of a statement, by how it is said. */
export function kindOf(text: string): MemoryType {
  const said = withoutLeadIn(text)
  if (denial.test(said)) return "negative"
  return taste.test(said) || wanted.test(said) ? "preference" : "fact"
}
