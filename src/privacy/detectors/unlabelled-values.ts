import { blank, type Finding } from "../finding.ts"
import {
  isGeneratedPassword,
  isGeneratedValue,
  publicWords,
  splitNameParts,
} from "../values/generated-value.ts"
import { randomnessBits } from "../values/randomness.ts"

/** Text between spaces, quotes and brackets. */
const alone = /(?<=^|[\s"'`(=:,>])[A-Za-z0-9][^\s"'`<>()[\]{},;|\uFFFC]{9,127}/gm
/** How many characters of the line are read on both sides. */
const reach = 70
/** Addresses, files, code, numbers and versions. */
const noValue = /[/\\:@]|\.\w|^\d+[-.]|--|__|=.|->|\d{4}-\d\d|^0x[0-9a-f]+$/i
/** Words about access: a value near them is a secret. */
const access =
  "log(?:in|on|ged)?|sign|signing|auth|pre-?auth|creds?|credentials?|open(?:s|ed)?|unlock(?:s|ed)?|unseal|protect(?:s|ed|ion)?|decrypt(?:s|ed|ion)?|encrypt(?:s|ed|ion)?|crypt|claim|cookie|setcookie|community|rcon|root|admin|administrator|user|username|account|pass|passwords?|passphrase|pw|pwd|key|salt|pepper|seed|secret|token|identified|begin|wi-?fi|wlan|ssid|vpn|radius|connect|join|register|enrol?l|activation|invite|reset|recovery|vault|wallet|master|shared"
const openKeys =
  "(?:public|pub|cache|primary|object|host|peer|partition|idempotency|sort|foreign|recv) ?-?keys?"
const naming = new RegExp(
  `(?<![A-Za-z])(?:(?<open>${openKeys}|${publicWords})|(?<access>${access}))(?![a-z])`,
  "gi",
)

/**
 * Finds generated values that no rule recognises by a label. The nearest word on the line decides whether a value gives
 * access or is an id, a checksum or public; without such a word only purely random values are found.
 */
export function findUnlabelledValues(text: string): Finding[] {
  const found: Finding[] = []
  for (const { 0: token, index } of text.matchAll(alone)) {
    const value = token.replace(/[.:?!…]+$/, "")
    if (noValue.test(value) || !(value.length >= 12 ? isGeneratedValue(value) : isGeneratedPassword(value)))
      continue
    if (isReadable(value)) continue
    if (isSecretInContext(text, index, index + token.length, value))
      found.push({ kind: "high-entropy", start: index, end: index + value.length })
  }
  return found
}

function isSecretInContext(text: string, start: number, end: number, value: string): boolean {
  const before = text.slice(Math.max(0, start - reach), start)
  const line = splitNameParts(before.slice(Math.max(before.lastIndexOf("\n"), before.lastIndexOf(blank)) + 1))
  const after = splitNameParts(text.slice(end, end + reach).split(/[\n\uFFFC]/, 1)[0] ?? "")
  const nearest = [...line.matchAll(naming)].at(-1) ?? [...after.matchAll(naming)][0]
  if (nearest !== undefined) return nearest.groups?.access !== undefined
  // A line without words is part of a file.
  const isSaid = /\p{L}{3}/u.test(line) || /\p{L}{3}/u.test(after)
  return isSaid && isPurelyRandom(value)
}

/** Whether a value has more randomness than joined words, and is not a part number in capitals and digits. */
function isPurelyRandom(value: string): boolean {
  const bits = randomnessBits(value) / value.length
  const hasMixedPart = value
    .split(/[-_]/)
    .some((part) => part.length >= 6 && /[a-z]/.test(part) && /[A-Z]/.test(part))
  return value.length <= 64 && hasMixedPart && bits >= (value.length < 16 ? 0.7 : 0.5)
}

/** Whether it decodes from base64 to plain text. */
function isReadable(value: string): boolean {
  return /^[\x20-\x7e\r\n\t]{8,}$/.test(Buffer.from(value, "base64").toString("latin1"))
}
