import { type Finding, findValues } from "../finding.ts"
import { isOrdinary, isTypedPlaceholder, looksRandom } from "../values/placeholders.ts"
import { isRandomText, randomnessBits } from "../values/randomness.ts"

/** A fixed format, such as a line of a credentials file, with a field for the password. */
interface FieldFormat {
  kind: string
  /** Tested first because that is cheap. */
  hint: RegExp
  pattern: RegExp
  /** Whether a plain word in the field is a password too. */
  isSure?: boolean
}

const fieldFormats: readonly FieldFormat[] = [
  // host:port:database:user:password of PostgreSQL
  {
    kind: "password",
    hint: /:(?:\d{2,5}|\*):/,
    pattern:
      /(?<![\w:/.-])[\w.*-]{1,80}:(?:\d{2,5}|\*):[\w.*-]{1,60}:[\w.*-]{1,60}:(?<value>[^\s:"'`\uFFFC]{4,200})/dg,
  },
  // machine and default lines of netrc, in any order
  {
    kind: "netrc-password",
    hint: /machine|default/,
    pattern:
      /\b(?:machine[ \t\n]{1,4}[^\s\uFFFC]{1,100}|default)(?:\s{1,8}(?:login|account)\s{1,4}[^\s\uFFFC]{1,100}){0,2}\s{1,8}password\s{1,4}(?<value>[^\s"'`\uFFFC]{3,200})/dg,
  },
  // user/password@ of Oracle
  {
    kind: "password",
    hint: /jdbc:oracle/,
    pattern: /\bjdbc:oracle:\w{2,5}:[\w$#]{1,60}\/(?<value>[^\s@"'`\uFFFC]{3,200})@/dg,
    isSure: true,
  },
  // what is typed at the prompt of Redis
  {
    kind: "password",
    hint: /AUTH/,
    pattern:
      /(?:^|[>\n`"'])[ \t]{0,3}AUTH[ \t]{1,3}(?:[\w-]{1,40}[ \t]{1,3}(?=\S))?["']?(?<value>[^\s"'`\uFFFC]{4,200})/dg,
  },
  // names of branches and files: the word, and what follows it in the name; sk_… and its like have formats
  {
    kind: "password",
    hint: /[A-Za-z][-_.=][A-Za-z0-9!+~^@]{8}/,
    pattern:
      /(?<![A-Za-z0-9])(?:pass|password|passwd|passphrase|pwd?|secret|token|key|apikey|sk|cred|creds|credentials?)[-_.=](?<value>(?:(?<!sk[-_.=])[A-Za-z0-9!+~^@][A-Za-z0-9!+~^@_-]{7,200}|[A-Za-z0-9!+~^@]{8,200}))(?![A-Za-z])/dgi,
  },
]

/** Finds passwords by their field in well-known file formats. */
export function findInKnownFormats(text: string): Finding[] {
  return fieldFormats.flatMap(({ kind, hint, pattern, isSure = false }) => {
    const isSecret = (value: string) => !isTypedPlaceholder(value) && (isSure || isGenerated(value))
    return hint.test(text) ? findValues(text, pattern, kind, isSecret) : []
  })
}

function isGenerated(value: string): boolean {
  if (isOrdinary(value)) return false
  return isRandomText(value, 8) || (/\d/.test(value) && looksRandom(value))
    ? /\d|[a-z][A-Z]/.test(value)
    : /[!@#$%^&*?~+]\w/.test(value) && randomnessBits(value) > 2
}

const alone = /^[ \t>]{0,8}(?<value>[A-Za-z0-9!@#$%^&*()_+=./~-]{10,200})[ \t]{0,3}\r?$/dgm
const printsSecret =
  /secret|passw|token|base64 (?:-d|-D|--decode)|credential|api.?key|pwgen|gen-?key|keygen|genpsk|apg\b|diceware|(?:openssl|libsodium|crypto|head -c ?\d+ \/dev\/u?)\s?rand|vault|get-login|private.?key|id_(?:rsa|ecdsa|ed25519)|ssh.?key/i

const isPublic = /public|certificate|integrity|sha\d{3}/i

/** Whether a text has a line with a single long word, as commands print secrets. */
export const printedHint = /\n[ \t>]{0,8}[^\s]{10,200}[ \t]{0,3}(?:\r?\n|$)/

/** Finds values alone on a line, below a line that mentions a secret, as commands print them. */
export function findPrintedSecrets(text: string): Finding[] {
  const found: Finding[] = []
  for (const { groups, indices, index } of text.matchAll(alone)) {
    const [start, end] = indices?.groups?.value ?? []
    const value = groups?.value ?? ""
    if (start === undefined || end === undefined || index === 0) continue
    const near = text.slice(Math.max(0, index - 300), index)
    const above = near.slice(near.lastIndexOf("\n", near.length - 2) + 1)
    const goesOn = found.at(-1)?.end !== undefined && text.slice(found.at(-1)?.end, start).trim() === ""
    if (
      (!printsSecret.test(above) && !goesOn) ||
      isPublic.test(above) ||
      isTypedPlaceholder(value) ||
      isOrdinary(value)
    )
      continue
    if (/\d/.test(value) && /[a-z]/i.test(value) && !/\(|^[./~]/.test(value) && isRandomText(value, 10)) {
      found.push({ kind: "high-entropy", start, end })
    }
  }
  return found
}
