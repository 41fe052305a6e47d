import { longestQuestion } from "../../memory/write/gaps.ts"
import { tellingWords } from "../focus.ts"
import { asks } from "../topic.ts"

/** A question must say something to be worth an answer. */
const fewestWords = 3

/** Whether a text is a question that somebody would want memory to answer. */
export function isWorthAsking(text: string): boolean {
  const question = text.trim()
  const isAsked =
    asks(question) || /^(?:what|when|where|which|who|why|how|do|does|did|is|are|can)\b/i.test(question)
  return isAsked && question.length <= longestQuestion && tellingWords(question) >= fewestWords
}
