import type { Finding } from "../finding.ts"
import { isGeneratedPassword } from "../values/generated-value.ts"
import { isPlaceholder } from "../values/placeholders.ts"

/**
 * A function, command or option whose name says that it takes a secret, up to its first argument:
 * `ConvertTo-SecureString "`, `.option("password", "`, `HTTPBasicAuth('`, `client.login("`.
 */
const call =
  /(?:secure-?string|passw|pwd|passphrase|secret|cred(?:ential)?s?|auth|login|log_?on|sign_?in|token|hmac|encrypt|decrypt|cipher|fernet|apikey|api_key|privkey|private_?key|keypair|client|connect|session|wallet|signer|account|set_?key)\w{0,24}(?:["']?[ \t]{0,2}(?:\([ \t]{0,2}|,[ \t]{0,2}|=[ \t]{0,2}\([ \t]{0,2}|[ \t])(?:-\w{1,20}[ \t]{1,2})?)(?:[\w.]{1,30}[=,(][ \t]{0,2}){0,2}(?=[bru]?["'])/gi
const argument = /[bru]?(?:"(?<double>[^"\n\uFFFC]{1,200})"|'(?<single>[^'\n\uFFFC]{1,200})')/dy
const next = /[ \t]{0,2},[ \t]{0,2}(?:\w{1,30}[ \t]{0,2}[=:][ \t]{0,2})?/y
const mostArguments = 5

/** Finds secrets among the quoted arguments of such calls. */
export function findInCalls(text: string): Finding[] {
  const found: Finding[] = []
  for (const { 0: head, index } of text.matchAll(call)) {
    let at = index + head.length
    for (let count = 0; count < mostArguments; count += 1) {
      argument.lastIndex = at
      const match = argument.exec(text)
      const span = match?.indices?.groups?.double ?? match?.indices?.groups?.single
      if (span === undefined) break
      const value = text.slice(span[0], span[1])
      if (!/\s/.test(value) && !isPlaceholder(value) && isGeneratedPassword(value))
        found.push({ kind: "password", start: span[0], end: span[1] })
      next.lastIndex = argument.lastIndex
      if (!next.test(text)) break
      at = next.lastIndex
    }
  }
  return found
}
