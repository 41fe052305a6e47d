import { quoteHidden } from "../../../base/text/unseen.ts"
import { stripFenced } from "../../../llm/fence.ts"
import { ownBlocks } from "./blocks.ts"
import { withoutInlined } from "./inlined.ts"
import { isForeignLine } from "./line-kinds.ts"
import { withoutQuotations } from "./quotations.ts"
import { beginningOfPaste } from "./source-intro.ts"

/** Nobody writes more than this by hand; what comes behind it was pasted. */
const longestMessage = 20_000

/**
 * What a person wrote in their own words: without what their tool put into the message, and without what they pasted:
 * code, logs, quotations, documents, mails, talk of others. Where it cannot be told, it is not theirs.
 */
export function ownWords(text: string): string {
  const prose = withoutInlined(stripFenced(quoteHidden(text.slice(0, longestMessage))))
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

/** Of a block of a person's own, the lines that are; what an introduction introduces is not. */
function ownLines(block: string): string {
  const lines: string[] = []
  for (const line of block.split("\n")) {
    if (isForeignLine(line)) continue
    const begins = beginningOfPaste(line)
    if (begins !== undefined) {
      lines.push(line.slice(0, begins))
      break
    }
    lines.push(line)
  }
  return lines.join("\n").trim()
}
