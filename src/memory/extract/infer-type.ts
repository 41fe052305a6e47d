import { withoutLeadIn } from "../../language/read/lead-in.ts"
import { triggersOf } from "../../language/read/trigger-words.ts"
import type { MemoryType } from "../model/kinds.ts"

const longestRule = 2000

interface UntypedInput {
  content: string
  type?: MemoryType | undefined
  triggers: string[]
  steps?: string[] | undefined
}

/** A line of an import, with its type inferred from the wording if it has none. */
export function lineWithInferredType(read: unknown): unknown {
  if (typeof read !== "object" || read === null || !("content" in read) || "type" in read) return read
  const { content } = read
  if (typeof content !== "string" || content.length > longestRule) return read
  const triggers = "triggers" in read && Array.isArray(read.triggers) ? read.triggers : []
  const steps = "steps" in read && Array.isArray(read.steps) ? read.steps : []
  return { ...read, ...withInferredType({ content, triggers, steps }) }
}

/** An input with its type inferred from the wording if it has none, and with triggers if it is a rule. */
export function withInferredType<Input extends UntypedInput>(input: Input): Input & { type: MemoryType } {
  const isProcedure = (input.steps?.length ?? 0) > 0
  const type = input.type ?? (isProcedure ? "procedure" : inferType(input.content.trim()))
  const isRule = type === "negative" || type === "preference"
  const isUnwatched = isRule && input.triggers.length === 0
  return { ...input, type, triggers: isUnwatched ? triggersOf(input.content) : input.triggers }
}

const denial =
  /^(?:please )?(?:never\b|do not\b|don't\b|no\b|stop \w+ing\b|avoid\b|nobody\b|no one\b|under no circumstances\b|it is forbidden\b|(?:you|we) (?:must not|may not|never|don't|do not|are not allowed|should never|must never)\b|you're not allowed\b)/i
const wanted =
  /^(?:you|we|agents?|the (?:agent|assistant|model)) (?:should|must|have to|need to|ought to)\b|^[^.!?]{2,60}\b(?:should|must) (?:always |never |not )?(?:be|use|have|stay|keep|come|go|start|end|contain|include|follow)\b|^from now on\b/i
const taste =
  /^(?:the user|i)\b.*\b(?:prefers?|likes?|wants?|hates?|loves?|dislikes?|rather|favou?rs?|fan of)\b|^(?:always|use|write|put|keep|run|name|ask|add|format|explain|answer|call|make|include|check)\b|^we (?:always|prefer|favou?r|like|stick to|follow)\b|^when(?:ever)? (?:you|we)\b/i

/** The type of a statement, from its wording. */
export function inferType(text: string): MemoryType {
  const statement = withoutLeadIn(text)
  if (denial.test(statement)) return "negative"
  return taste.test(statement) || wanted.test(statement) ? "preference" : "fact"
}
