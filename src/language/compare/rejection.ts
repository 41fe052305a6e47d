import type { Statement } from "../read/statement.ts"
import type { Token } from "../read/token.ts"
import { narrowingWords } from "../words/word-lists.ts"
import { isAmong } from "./compare-tokens.ts"
import type { Opposition } from "./relation.ts"

/** At most this many additional words in the affirming statement. */
const mostUnmatched = 3

/** One statement affirms what the other rejects or gave up. */
export function opposedByRejection(a: Statement, b: Statement): Opposition | undefined {
  const inB = rejects(b, a)
  const inA = rejects(a, b)
  if (inB === undefined && inA === undefined) return undefined
  const by = a.changed || b.changed ? "alternative" : "preference"
  const older = inB ?? chosen(a)
  const newer = inB === undefined ? (inA ?? "") : chosen(b)
  return { by, older, newer }
}

/** What the first statement rejects and the second affirms, if both are about the same thing. */
function rejects(rejecting: Statement, saying: Statement): string | undefined {
  const turnedDown = rejecting.rejected.filter((token) => !token.link)
  if (turnedDown.length === 0 || saying.past || saying.negations.length > 0) return undefined
  if (!turnedDown.every((token) => isAmong(token, saying.tokens))) return undefined
  // A statement of the same change does not contradict it.
  if (turnedDown.every((token) => isAmong(token, rejecting.tokens))) return undefined
  const unmatched = saying.tokens.filter(
    (token) => !token.link && !isAmong(token, turnedDown) && !isAmong(token, rejecting.tokens),
  )
  if (unmatched.length > mostUnmatched || unmatched.some((token) => narrows(token, saying.tokens)))
    return undefined
  return turnedDown.map((token) => token.text).join(" ")
}

/** Whether a word limits a statement to a case: "tabs in Go", "only". */
function narrows(token: Token, tokens: readonly Token[]): boolean {
  return narrowingWords.has(token.key) || tokens[tokens.indexOf(token) - 1]?.link === true
}

function chosen(statement: Statement): string {
  const verb = statement.tokens.findIndex((token) => token.key === "use" || token.key === "prefer")
  const rest = statement.tokens.slice(verb + 1).filter((token) => !token.link)
  return rest
    .slice(0, 3)
    .map((token) => token.text)
    .join(" ")
}
