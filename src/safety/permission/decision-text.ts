import type { Decision } from "./requests.ts"

/** A decision by text, and the code of its request. */
export interface ParsedDecision {
  code: string
  decision: Extract<Decision, { kind: "approve" | "deny" }>
}

const words =
  /^(?:(?<approve>approve) (?<approved>[0-9a-z]{8})|(?<deny>deny) (?<denied>[0-9a-z]{8})(?:: ?(?<why>\S.{0,1999})?)?)$/i

/** Says how to decide by a code. */
export function decisionHint(code: string): string {
  return `Answer exactly \`approve ${code}\`, \`deny ${code}\` or \`deny ${code}: why\`.`
}

/** Whether a text contains a code, as our notices do. */
export function containsCode(text: string): boolean {
  return /`approve [0-9a-z]{8}`/.test(text)
}

/**
 * Parses `approve CODE`, `deny CODE` or `deny CODE: why`, which must be the whole message. Anything else is no decision,
 * however similar: no text around it, and only one line.
 */
export function parseDecision(text: string): ParsedDecision | undefined {
  const match = words.exec(text.trim())?.groups
  if (match?.approved) return { code: match.approved.toLowerCase(), decision: { kind: "approve" } }
  if (match?.denied)
    return { code: match.denied.toLowerCase(), decision: { kind: "deny", text: match.why?.trim() } }
  return undefined
}
