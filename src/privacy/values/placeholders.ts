import { isRandomText } from "./randomness.ts"

/** Words that people write in place of a secret. Compared in lower case, without separators. */
const placeholderWords = new Set(
  `password passwd passwort passphrase pass pwd secret secrets token tokens key apikey credential credentials changeme
  changeit change replaceme example examples placeholder null none nil undefined true false yes no on off string strings
  number boolean bool any unknown object text str int bytes buffer void never optional required redacted hidden removed
  masked default empty blank todo tbd na foo bar baz foobar test tests testing tester dummy sample demo fake value
  values abc abcd abcdef username user login basic bearer digest oauth oauth2 jwt env environment vault keychain prompt
  stdin interactive hashed encrypted file`.split(/\s+/),
)

const variable = /^(?:\$\w+$|\$[{(]|%\w+%$|\{\{?|<|\[|@\w+@$|#\{|!\w+$|&\w+$|\*{2,})/
const reference =
  /^(?:process\.env|os\.environ|import\.meta|Deno\.env|System\.getenv|getenv|ENV\[|secrets\.|vars?\.|self\.|this\.|config\.|settings\.)/
const dotted = /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*|\[['"]?\w+['"]?\])+$/
const call = /^(?:await |new )?[A-Za-z_$][\w$.]*[([]/
const constantName = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/
const possessive =
  /^(?:your|my|some|our|insert|enter|put|add)(?:[-_ ]|$)|^your|^my[-_]?(?:pass|secret|token|key|api)|^(?:some|db|user|the|test|new|old)[-_]?(?:password|passwd|secret|token|key)$/i
const marked =
  /example|placeholder|changeme|change[-_]me|your[-_]|dummy|redacted|x{4,}|\*{3,}|\.{3,}|…|•{2,}|_{4,}/i

/** Whether a value is a placeholder for a secret: a variable, a reference, an example, `xxxx`. */
export function isPlaceholder(value: string): boolean {
  if (variable.test(value) || reference.test(value)) return true
  if (possessive.test(value) || marked.test(value)) return true
  if (constantName.test(value)) return true
  if (isReference(value)) return true
  return placeholderWords.has(value.toLowerCase().replaceAll(/[-_ .]/g, "")) || hasOneSign(value)
}

/** The same for command lines and credentials files, where a dotted value with digits is not a name in code. */
export function isTypedPlaceholder(value: string): boolean {
  return isPlaceholder(/\d/.test(value) ? value.replaceAll(/(?<!\.)\.(?!\.)/g, "") : value)
}

/** Whether it is an expression in code: `user.token`, `getToken()`. */
function isReference(value: string): boolean {
  if (call.test(value)) return true
  if (!dotted.test(value) || (/\d/.test(value) && isRandomText(value, 8))) return false
  return !value.split(".").some((part) => part.length >= 12 && looksRandom(part))
}

function hasOneSign(value: string): boolean {
  const from = /^0x./i.test(value) ? 2 : 0
  const first = value.charCodeAt(from)
  for (let at = from + 1; at < value.length; at += 1) if (value.charCodeAt(at) !== first) return false
  return value.length > 2
}

const ordinaryForms = [
  /^[0-9a-f]{7,64}$/i, // a hash
  /^(?:sha|md)\d{1,3}[-:]/i, // a digest that says so
  /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i, // a UUID
  /^(?:m|op|p|s|c|install)_[0-9a-hjkmnp-tv-z]{16,20}$/, // an id of ours
  /^v?\d+(?:\.\d+)+(?:[-+][\w.+-]+)?$/i, // a version or an IP address
  /^\d{4}-\d{2}-\d{2}/, // a date
  /^\d{1,6}[-_]?[a-z]{1,12}$/i, // a measure: 12-character, 30s
  /^[+-]?[\d.,_]+%?$/, // a number
  /^#[0-9a-f]{3,8}$/i, // a colour
  /^[a-z][a-z0-9+.-]*:\/\//i, // a URL: its credentials have rules of their own
  /^[\w-]+(?:\.[\w-]+)*\.(?:[jt]sx?|[cm]js|json|ya?ml|toml|md|txt|py|rs|go|java|rb|sh|sql|css|html?|png|jpe?g|svg|gif|webp|log|lock|env|pem|crt|com|org|net|io|dev)$/i,
  /^[^\s@]+@[^\s@]+\.[a-z]{2,}$/i, // an e-mail address
  /^(?:sha|md|rs|hs|es|ps|aes|argon|bcrypt|base|utf|oauth|pbkdf|scrypt|ed|curve|http|tls|ssl|web|ipv)-?\d{1,5}(?:\/\d{3})?(?:[-_]?[a-z]{1,12}){0,2}$/i, // names such as SHA-256, base64url-encoded
]

/** Whether a value is something harmless that only looks random: hash, UUID, version, path, date, measure. */
export function isOrdinary(value: string): boolean {
  return ordinaryForms.some((form) => form.test(value)) || isPathOfWords(value)
}

/** Whether a value is a hash or UUID, which is a secret only if it is explicitly named one. */
export function isBareHash(value: string): boolean {
  return value.length >= 24 && /^[0-9a-f-]+$/i.test(value)
}

function isPathOfWords(value: string): boolean {
  const parts = value.split("/")
  return parts.length > 1 && parts.every((part) => part.length < 40 && !looksRandom(part))
}

/** How often a text changes between lower case, capitals and digits; a capital before lower case does not count. */
function changesOf(value: string): number {
  let changes = 0
  let before = 0
  for (let index = 0; index < value.length; index += 1) {
    const now = signClass(value.charCodeAt(index))
    if (now !== 0 && before !== 0 && now !== before && !(before === 2 && now === 1)) changes += 1
    if (now !== 0) before = now
  }
  return changes
}

/** 1 for lower case, 2 for a capital, 3 for a digit, 0 for anything else. */
function signClass(code: number): 0 | 1 | 2 | 3 {
  if (code >= 97 && code <= 122) return 1
  if (code >= 65 && code <= 90) return 2
  return code >= 48 && code <= 57 ? 3 : 0
}

/** Whether the letters and digits look random, unlike words, names and counters. */
export function looksRandom(value: string): boolean {
  const body = value.replaceAll(/[^A-Za-z0-9]/g, "")
  if (body.length < 10 || new Set(body).size < 7) return false
  // Long values need fewer changes, because long words have almost none.
  if (changesOf(body) / body.length >= (body.length >= 24 ? 0.2 : 0.25)) return true
  return (
    body.length >= 20 &&
    /[bcdfghjklmnpqrstvwxyz]{7}|[bcdfghjklmnpqrstvwxz]{5}.*[bcdfghjklmnpqrstvwxz]{5}/i.test(body)
  )
}

/** Whether letters and digits alternate more often than in a name with a number at its end. */
export function isMixed(value: string): boolean {
  return /[A-Za-z]/.test(value) && /\d/.test(value) && changesOf(value) >= 3
}
