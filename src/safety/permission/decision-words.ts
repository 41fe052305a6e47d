import type { Decision } from "./requests.ts"

/** A decision in words, and the code that says which request it is about. */
export interface DecisionWords {
  code: string
  decision: Extract<Decision, { kind: "approve" | "deny" }>
}

const words =
  /^(?:(?<approve>approve) (?<approved>[0-9a-z]{8})|(?<deny>deny) (?<denied>[0-9a-z]{8})(?:: ?(?<why>\S.{0,1999})?)?)$/i

/** Tells the reader of a notice how to decide by a code. */
export function answerWith(code: string): string {
  return `Answer exactly \`approve ${code}\`, \`deny ${code}\` or \`deny ${code}: why\`.`
}

/** Whether a text tells somebody a code, as a notice of ours does. */
export function tellsCode(text: string): boolean {
  return /`approve [0-9a-z]{8}`/.test(text)
}

/**
 * Reads `approve CODE`, `deny CODE` or `deny CODE: why`, alone in a message. Anything else is no decision, however much
 * it sounds like one: words inside other words, words around it, more than one line.
 */
export function readDecisionWords(text: string): DecisionWords | undefined {
  const said = words.exec(text.trim())?.groups
  if (said?.approved) return { code: said.approved.toLowerCase(), decision: { kind: "approve" } }
  if (said?.denied)
    return { code: said.denied.toLowerCase(), decision: { kind: "deny", text: said.why?.trim() } }
  return undefined
}
