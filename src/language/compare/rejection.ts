import type { Statement } from "../read/statement.ts"
import type { Token } from "../read/token.ts"
import { narrowingWords } from "../words/function-words.ts"
import { compareTokens } from "./compare-tokens.ts"
import type { Opposition } from "./relation.ts"

/** Words a statement may have more than the one that gives up what it says. */
const mostUnmatched = 3

/** One statement holds what the other turns down or has left behind. */
export function opposedByRejection(a: Statement, b: Statement): Opposition | undefined {
  const inB = rejects(b, a)
  const inA = rejects(a, b)
  if (inB === undefined && inA === undefined) return undefined
  const by = a.changed || b.changed ? "alternative" : "preference"
  const older = inB ?? chosen(a)
  const newer = inB === undefined ? (inA ?? "") : chosen(b)
  return { by, older, newer }
}

/** What the first statement rejects and the second says, if it speaks of the same thing. */
function rejects(rejecting: Statement, saying: Statement): string | undefined {
  const turnedDown = rejecting.rejected.filter((token) => !token.link)
  if (turnedDown.length === 0 || saying.past || saying.negations.length > 0) return undefined
  if (!turnedDown.every((token) => isIn(token, saying.tokens))) return undefined
  // A statement that only tells the same change says nothing against it.
  if (turnedDown.every((token) => isIn(token, rejecting.tokens))) return undefined
  const unmatched = saying.tokens.filter(
    (token) => !token.link && !isIn(token, turnedDown) && !isIn(token, rejecting.tokens),
  )
  if (unmatched.length > mostUnmatched || unmatched.some((token) => narrows(token, saying.tokens)))
    return undefined
  return turnedDown.map((token) => token.text).join(" ")
}

/** Whether a word ties a statement to a case of its own: "tabs in Go", "only". */
function narrows(token: Token, tokens: readonly Token[]): boolean {
  return narrowingWords.has(token.key) || tokens[tokens.indexOf(token) - 1]?.link === true
}

function isIn(token: Token, others: readonly Token[]): boolean {
  return others.some((other) => compareTokens(token, other).is === "equal")
}

function chosen(statement: Statement): string {
  const verb = statement.tokens.findIndex((token) => token.key === "use" || token.key === "prefer")
  const rest = statement.tokens.slice(verb + 1).filter((token) => !token.link)
  return rest
    .slice(0, 3)
    .map((token) => token.text)
    .join(" ")
}
