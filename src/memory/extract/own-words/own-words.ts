import { quoteHiddenLines } from "../../../base/text/invisible.ts"
import { stripFenced } from "../../../llm/fence.ts"
import { ownBlocks } from "./blocks.ts"
import { withoutInlined } from "./inlined.ts"
import { isPastedLine } from "./line-kinds.ts"
import { withoutQuotations } from "./quotations.ts"
import { beginningOfPaste } from "./source-intro.ts"

/** Nobody writes more than this by hand: the rest was pasted. */
const longestMessage = 20_000

/**
 * The user's own words in a message: without what tools inserted, and without pasted code, logs, quotations, documents
 * and mails. What is unclear counts as pasted.
 */
export function ownWords(text: string): string {
  const prose = withoutInlined(stripFenced(quoteHiddenLines(text.slice(0, longestMessage))))
  if (isMadeByProgram(prose)) return ""
  return ownBlocks(withoutQuotations(prose))
    .map(ownLines)
    .filter((block) => block !== "")
    .join("\n\n")
}

/** Messages that tools write in the user's name. */
function isMadeByProgram(text: string): boolean {
  return /^\s*(?:caveat: the messages below|this session is being continued from|\[request interrupted|<\w)/i.test(
    text,
  )
}

/** The user's own lines of a block, without a paste that they introduce. */
function ownLines(block: string): string {
  const lines: string[] = []
  for (const line of block.split("\n")) {
    if (isPastedLine(line)) continue
    const begins = beginningOfPaste(line)
    if (begins !== undefined) {
      lines.push(line.slice(0, begins))
      break
    }
    lines.push(line)
  }
  return lines.join("\n").trim()
}

/** Whether a text tries to give orders to its reader; such text is not evidence. */
export function isPromptInjection(text: string): boolean {
  return /\b(?:ignore|disregard|forget|override) (?:all |any |the |your )*(?:previous|prior|earlier|above|preceding) (?:instructions?|prompts?|rules?|messages?)\b|\b(?:system prompt|you must now|new instructions?:)/i.test(
    text,
  )
}

/** Whether a line, such as the beginning of a prompt, is entirely the user's own wording. */
export function isUserWording(line: string): boolean {
  const text = line.replace(/…$/, "").trim()
  return text !== "" && ownWords(text) === text && !isPromptInjection(text)
}
