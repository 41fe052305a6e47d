import { isMixed, isOrdinary, isPlaceholder } from "./placeholders.ts"
import { randomnessBits } from "./randomness.ts"

/**
 * Whether a text has a word of at least eight characters with lower-case letters, capitals and digits. Every generated
 * value has; this is a fast test because most texts do not.
 */
export function mayHoldGeneratedValue(text: string): boolean {
  let seen = 0
  let start = 0
  for (let at = 0; at < text.length; at += 1) {
    const kind = signKinds[text.charCodeAt(at)] ?? 0
    if (kind === breaks) {
      seen = 0
      start = at + 1
    } else {
      seen |= kind
      if (seen === small + capital + digit && at - start >= 7) return true
    }
  }
  return false
}

const [small, capital, digit, breaks] = [1, 2, 4, 8]
/** The class of each character; white space, quotes and blanks end a value. */
const signKinds = new Uint8Array(0x10000)
for (let code = 0; code < 26; code += 1) {
  signKinds[97 + code] = small
  signKinds[65 + code] = capital
}
for (let code = 48; code < 58; code += 1) signKinds[code] = digit
for (const sign of " \t\r\n\"'`<>\uFFFC") signKinds[sign.charCodeAt(0)] = breaks

/** Matches names in code, paths, addresses, digests and public keys. */
const publicValue =
  /^(?:AAAA[BCE]|sha\d+[-:]|data:|ssh-|v?\d+\.\d|ey[JIK]\w*$|pk_|age1|bafy|Qm[1-9A-HJ-NP-Za-km-z]{44}$|G-|UA-|[./~$%{(<@#])|:\/\/|^[\w-]+\(|\$\{|\$\(|\w\.[a-z]{2,4}$|\\|abcdefgh|12345678|qwertyui/i
const signs = /[!#$%^*?~§&+=@-]/

/**
 * Whether a value was generated to be unguessable: a random mix of lower case, capitals and digits, maybe with signs.
 * Names with numbers, grouped ids and joined words are not.
 */
export function isGeneratedValue(value: string, shortest = 12): boolean {
  if (value.length < shortest || value.length > 128 || publicValue.test(value)) return false
  if (!/[a-z]/.test(value) || !/[A-Z]/.test(value) || !/\d/.test(value)) return false
  if (isOrdinary(value) || isPlaceholder(value) || !isMixed(value)) return false
  const bits = randomnessBits(value) / value.length
  return bits >= (signs.test(value.slice(1)) ? 0.35 : 0.45)
}

/** The same for shorter values, which need letters of both cases, digits and a sign. */
export function isGeneratedPassword(value: string): boolean {
  if (isGeneratedValue(value, 8)) return true
  if (value.length < 8 || value.length > 128 || publicValue.test(value)) return false
  const hasAll = /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value) && /[!#$%^*?~§&]/.test(value)
  return hasAll && isMixed(value) && !isOrdinary(value) && !isPlaceholder(value)
}

/** Words near which a random value is an id, a checksum or public. */
export const publicWords =
  "ids?|uuid|guid|uid|nanoid|cuid|ulid|ksuid|sha-?\\d*|md5|hash(?:es)?|commit|rev(?:ision)?|refs?|digest|checksums?|sums?|integrity|etag|fingerprints?|thumbprint|public|pub|pubkey|peer|recipients?|address(?:es)?|addr|contract|tx|txid|txn|block|trace(?:parent)?|span|nonce|cid|arn|cert(?:ificate)?s?|serial|signature|cursor|page|offset|version|tag|build|image|video|watch|doc(?:ument)?|sheet|file|folder|slug|class(?:name)?|selector|regex|pattern|alphabet|charset|chars|example|sample|fixture|test|mock|lorem|base64|encoded|snapshot|cache|chunk|asset|bundle|css|svg|png|path|session_id|request|event|message|thread|channel|playlist|track|order|invoice|customer|ticket|model|device|part|sku"
const publicWord = new RegExp(`(?<![A-Za-z])(?:${publicWords})(?![a-z])`, "i")

/** Whether the words near a value say that it is not secret. */
export function saysPublic(words: string): boolean {
  return publicWord.test(splitNameParts(words))
}

/** Splits names into words: `adminPassword` and `admin_password` become two. */
export function splitNameParts(words: string): string {
  return words.replaceAll(/(?<=[a-z\d])(?=[A-Z])|_/g, " ")
}
