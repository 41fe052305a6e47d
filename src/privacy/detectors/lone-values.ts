import { type Finding, hole } from "../finding.ts"
import { isMadePassword, isMadeValue, openWords, spaced } from "../values/generated-value.ts"
import { chanceBits } from "../values/randomness.ts"

/** What stands between spaces, quotes and brackets. */
const alone = /(?<=^|[\s"'`(=:,>])[A-Za-z0-9][^\s"'`<>()[\]{},;|\uFFFC]{9,127}/gm
/** How much of the line is read on both sides. */
const reach = 70
/** Addresses, files, code, numbers and versions. */
const noValue = /[/\\:@]|\.\w|^\d+[-.]|--|__|=.|->|\d{4}-\d\d|^0x[0-9a-f]+$/i
/** Words of getting in: a value beside them opens something. */
const access =
  "log(?:in|on|ged)?|sign|signing|auth|pre-?auth|creds?|credentials?|open(?:s|ed)?|unlock(?:s|ed)?|unseal|protect(?:s|ed|ion)?|decrypt(?:s|ed|ion)?|encrypt(?:s|ed|ion)?|crypt|claim|cookie|setcookie|community|rcon|root|admin|administrator|user|username|account|pass|passwords?|passphrase|pw|pwd|key|salt|pepper|seed|secret|token|identified|begin|wi-?fi|wlan|ssid|vpn|radius|connect|join|register|enrol?l|activation|invite|reset|recovery|vault|wallet|master|shared"
const openKeys =
  "(?:public|pub|cache|primary|object|host|peer|partition|idempotency|sort|foreign|recv) ?-?keys?"
const naming = new RegExp(
  `(?<![A-Za-z])(?:(?<open>${openKeys}|${openWords})|(?<access>${access}))(?![a-z])`,
  "gi",
)

/**
 * Finds values that were made to be guessed by nobody and that no rule announces. The word that stands nearest on the
 * line says whether they open something or are an id, a sum or public; without one only what is nothing but chance is
 * taken.
 */
export function findLoneValues(text: string): Finding[] {
  const found: Finding[] = []
  for (const { 0: token, index } of text.matchAll(alone)) {
    const value = token.replace(/[.:?!…]+$/, "")
    if (noValue.test(value) || !(value.length >= 12 ? isMadeValue(value) : isMadePassword(value))) continue
    if (isReadable(value)) continue
    if (isSecretBeside(text, index, index + token.length, value))
      found.push({ kind: "high-entropy", start: index, end: index + value.length })
  }
  return found
}

function isSecretBeside(text: string, start: number, end: number, value: string): boolean {
  const before = text.slice(Math.max(0, start - reach), start)
  const line = spaced(before.slice(Math.max(before.lastIndexOf("\n"), before.lastIndexOf(hole)) + 1))
  const after = spaced(text.slice(end, end + reach).split(/[\n\uFFFC]/, 1)[0] ?? "")
  const nearest = [...line.matchAll(naming)].at(-1) ?? [...after.matchAll(naming)][0]
  if (nearest !== undefined) return nearest.groups?.access !== undefined
  // A line of nothing else is a piece of a file.
  const isSaid = /\p{L}{3}/u.test(line) || /\p{L}{3}/u.test(after)
  return isSaid && isNothingButChance(value)
}

/** Words joined to a name hardly ever have so many bits; names of disks and parts are groups of capitals and digits. */
function isNothingButChance(value: string): boolean {
  const bits = chanceBits(value) / value.length
  const hasMixedPart = value
    .split(/[-_]/)
    .some((part) => part.length >= 6 && /[a-z]/.test(part) && /[A-Z]/.test(part))
  return value.length <= 64 && hasMixedPart && bits >= (value.length < 16 ? 0.7 : 0.5)
}

/** Whether it is plain text in base 64. */
function isReadable(value: string): boolean {
  return /^[\x20-\x7e\r\n\t]{8,}$/.test(Buffer.from(value, "base64").toString("latin1"))
}
