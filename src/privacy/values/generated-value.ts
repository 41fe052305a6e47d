import { isMixed, isOrdinary, isPlaceholder } from "./placeholders.ts"
import { chanceBits } from "./randomness.ts"

/**
 * Whether a text has eight characters without a space among them that are small letters, capitals and digits: without
 * them there is no made value in it. One pass, because most texts have none.
 */
export function mayHoldMadeValue(text: string): boolean {
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
/** What kind of sign a character is; a space, a quote or a hole ends a value. */
const signKinds = new Uint8Array(0x10000)
for (let code = 0; code < 26; code += 1) {
  signKinds[97 + code] = small
  signKinds[65 + code] = capital
}
for (let code = 48; code < 58; code += 1) signKinds[code] = digit
for (const sign of " \t\r\n\"'`<>\uFFFC") signKinds[sign.charCodeAt(0)] = breaks

/** What shows that a value is a name of code, a path, an address, a digest or public on its own. */
const open =
  /^(?:AAAA[BCE]|sha\d+[-:]|data:|ssh-|v?\d+\.\d|ey[JIK]\w*$|pk_|age1|bafy|Qm[1-9A-HJ-NP-Za-km-z]{44}$|G-|UA-|[./~$%{(<@#])|:\/\/|^[\w-]+\(|\$\{|\$\(|\w\.[a-z]{2,4}$|\\|abcdefgh|12345678|qwertyui/i
const signs = /[!#$%^*?~§&+=@-]/

/**
 * Whether a value can only have been made to be guessed by nobody: small letters, capitals and digits as chance has
 * them, or with signs in turns. Names with numbers, ids in groups and words joined by signs are none.
 */
export function isMadeValue(value: string, shortest = 12): boolean {
  if (value.length < shortest || value.length > 128 || open.test(value)) return false
  if (!/[a-z]/.test(value) || !/[A-Z]/.test(value) || !/\d/.test(value)) return false
  if (isOrdinary(value) || isPlaceholder(value) || !isMixed(value)) return false
  const bits = chanceBits(value) / value.length
  return bits >= (signs.test(value.slice(1)) ? 0.35 : 0.45)
}

/** Whether a shorter one looks so too: letters of both cases, digits and a sign in turns. */
export function isMadePassword(value: string): boolean {
  if (isMadeValue(value, 8)) return true
  if (value.length < 8 || value.length > 128 || open.test(value)) return false
  const hasAll = /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value) && /[!#$%^*?~§&]/.test(value)
  return hasAll && isMixed(value) && !isOrdinary(value) && !isPlaceholder(value)
}

/** Words beside which a random value is an id, a sum or public. */
export const openWords =
  "ids?|uuid|guid|uid|nanoid|cuid|ulid|ksuid|sha-?\\d*|md5|hash(?:es)?|commit|rev(?:ision)?|refs?|digest|checksums?|sums?|integrity|etag|fingerprints?|thumbprint|public|pub|pubkey|peer|recipients?|address(?:es)?|addr|contract|tx|txid|txn|block|trace(?:parent)?|span|nonce|cid|arn|cert(?:ificate)?s?|serial|signature|cursor|page|offset|version|tag|build|image|video|watch|doc(?:ument)?|sheet|file|folder|slug|class(?:name)?|selector|regex|pattern|alphabet|charset|chars|example|sample|fixture|test|mock|lorem|base64|encoded|snapshot|cache|chunk|asset|bundle|css|svg|png|path|session_id|request|event|message|thread|channel|playlist|track|order|invoice|customer|ticket|model|device|part|sku"
const saidOpen = new RegExp(`(?<![A-Za-z])(?:${openWords})(?![a-z])`, "i")

/** Whether the words beside a value say that it is something anybody may see. */
export function isSaidOpen(words: string): boolean {
  return saidOpen.test(spaced(words))
}

/** Names with their parts apart: `adminPassword` and `admin_password` are two words. */
export function spaced(words: string): string {
  return words.replaceAll(/(?<=[a-z\d])(?=[A-Z])|_/g, " ")
}
