import { blank, type Finding } from "../finding.ts"
import { chosenPasswordEnd } from "../values/chosen-passwords.ts"
import { isBareHash, isMixed, isOrdinary, isPlaceholder, looksRandom } from "../values/placeholders.ts"
import { findRandomNear } from "../values/random-values.ts"
import { isRandomText } from "../values/randomness.ts"
import { type KeywordKind, type SecretKeyword, secretKeywords } from "../values/secret-keywords.ts"
import { findNearKeywords, findNextInList } from "./nearby-secrets.ts"

/** The value after a secret keyword. */
interface LabelledValue {
  value: string
  start: number
  end: number
  isQuoted: boolean
  /** How it is linked: `name=value`, `name: value`, `name - value`, "… is value", or directly after the keyword. */
  by: "equals" | "colon" | "dash" | "sentence" | "nothing"
  /** The words between keyword and link, if any. */
  gap: string
  isFar: boolean
  /** Whether the keyword ends in "key". */
  isKeyWord?: boolean
}

/** Finds secrets after a keyword: assignments in any language, headers, prose. */
export function findLabelledSecrets(text: string): Finding[] {
  const found: Finding[] = []
  const words = secretKeywords(text)
  let covered = 0
  for (const word of words) {
    // A keyword inside of a secret does not count.
    const finding = word.start < covered ? undefined : labelledSecret(text, word)
    if (finding === undefined) continue
    for (let one: Finding | undefined = finding; one !== undefined; one = findNextInList(text, one)) {
      found.push(one)
      covered = one.end
    }
  }
  return words.length === 0
    ? found
    : [...found, ...findRandomNear(text, words), ...findNearKeywords(text, words)]
}

function labelledSecret(text: string, word: SecretKeyword): Finding | undefined {
  for (const [link, by] of links) {
    const announced = readBehind(text, word.end, link, by)
    if (announced === undefined) continue
    const isKeyWord = text.slice(word.end - 3, word.end).toLowerCase() === "key"
    if (isSecret(word.kind, { ...announced, isKeyWord })) {
      return { kind: word.kind, start: announced.start, end: wholeEnd(text, announced) }
    }
    const chosen = word.kind === "password" ? chosenPassword(text, word, announced) : undefined
    if (chosen !== undefined) return chosen
    // An assignment is unambiguous; a sentence may have been read at the wrong position.
    if (announced.by === "equals" || announced.by === "colon") return undefined
  }
  return undefined
}

const plainLabel = /^(?:pass(?:word|phrase|code)|pw|(?:wi-?fi|wlan|wpa\d?)[ _-]?key)$/i
const statesValue = /(?:[ \t](?:is|was)|:|=|['’]s)[ \t:]{0,3}(?:(?:now|still|currently|just)[ \t])?["'`]?$/i
/** A word before it on the same line, or a line above that names a user. */
const speaksBefore = /\p{L}[ \t]$|(?:user|login|mail|account)[^\n]{0,80}\r?\n[ \t*-]{0,8}$/iu

/** Plain words that are stated to be the password: "the password is swordfish". */
function chosenPassword(
  text: string,
  { start, end }: SecretKeyword,
  announced: LabelledValue,
): Finding | undefined {
  const { by, gap, isQuoted } = announced
  if (isQuoted || by === "dash" || by === "nothing" || !plainLabel.test(text.slice(start, end)))
    return undefined
  if (gap !== "" && !/^[ \t](?:for|of|on|at)[ \t]/.test(gap)) return undefined
  if (!statesValue.test(text.slice(end, announced.start))) return undefined
  const isAssigned = by === "equals" || by === "colon"
  if (isAssigned && !speaksBefore.test(text.slice(Math.max(0, start - 100), start))) return undefined
  const chosen = chosenPasswordEnd(text, announced.start, isAssigned)
  return chosen === undefined ? undefined : { kind: "password", start: announced.start, end: chosen }
}

const restOfName = /[\w-]{0,30}/y
const equals =
  /["'`\])]{0,2}\\?["']?[ \t]{0,4}(?::[ \t]{0,2}(?:&'static )?(?:Optional\[)?(?:str|string|String|bytes|text|Text|char\*)\]?[ \t]{0,2})?(?::=|=>|={1,3}|<-|%3[Dd])[ \t]{0,4}(?:\\?\r?\n[ \t]{0,20})?/y
const colon =
  /["'`*\])]{0,2}\\?["']?[ \t]{0,4}(?::|：|->|→|(?<=[ \t])\|(?=[ \t])|是|は)[*]{0,2}(?:[ \t]{0,4}\r?\n[ \t]{0,20}|[ \t]{0,4})(?:[|>][+-]?[ \t]*\r?\n[ \t]{0,20})?/y
const dash = /["'`*\])]{0,2}[ \t]{1,3}[-–—][ \t]{1,3}/y
const sentence =
  /(?<gap>,?(?:[ \t]{1,3}[^\s:="'`\uFFFC]{1,30}(?:'\p{L}{2,20})?){0,6}?)(?:['’]s|:|[ \t]{1,3}(?:c['’]est|is|was|are|will be|lautet|lautete|ist|heißt|heisst|hieß|luidt|est|es|é|è|era|to|as|=))(?:[ \t]{0,2}:[ \t]{0,3}\r?\n[ \t]{0,20}|[ \t:]{1,3})(?:now |still |currently |just |set to |this: ?|jetzt |nun |maintenant |ahora |adesso |ora |agora |nu )?/uy
const nothing = /[ \t]{0,3}\r?\n[ \t]{0,8}|[ \t]{1,3}/y

const links = [
  [equals, "equals"],
  [colon, "colon"],
  [dash, "dash"],
  [sentence, "sentence"],
  [nothing, "nothing"],
] as const

function readBehind(
  text: string,
  at: number,
  by: RegExp,
  how: LabelledValue["by"],
): LabelledValue | undefined {
  restOfName.lastIndex = at
  const name = restOfName.exec(text)?.[0] ?? ""
  // In a sentence the keyword is a word of its own; in code it may be part of a longer name.
  if (how === "sentence" || how === "nothing") {
    if (name !== "" && name !== "s") return undefined
  }
  by.lastIndex = at + name.length
  const link = by.exec(text)
  if (link === null) return undefined
  const read = readValue(text, by.lastIndex)
  const gap = link.groups?.gap ?? ""
  return read && { ...read, by: how, gap, isFar: gap !== "" }
}

/** The end of a value, which may be longer than the part that was read. */
function wholeEnd(text: string, { value, end }: LabelledValue): number {
  if (value.length < longestValueRead) return end
  restOfValue.lastIndex = end
  return end + (restOfValue.exec(text)?.[0].length ?? 0)
}

/** The quotes that end with another sign. */
const closing: Record<string, string> = { "“": "”", "«": "»", "‘": "’", "„": "“" }
const openQuote = /(?:[bfru]{1,2}(?=["']))?(?<slashes>\\{0,3})(?<quote>["'`“«‘„「『])/y
/** A semicolon, an ampersand or a bar ends the value only before another setting, white space or the end. */
const bare = /(?:[^\s"'`<>;&|\uFFFC]|[;&|](?![\w .-]{1,40}=|\s|$)){1,256}/y
const longestQuoted = 500
const longestValueRead = 250
const restOfValue = /[^\s"'`<>;&|\uFFFC]*/y

/** The value that begins here, without its quotes. */
function readValue(
  text: string,
  at: number,
): Pick<LabelledValue, "value" | "start" | "end" | "isQuoted"> | undefined {
  openQuote.lastIndex = at
  const open = openQuote.exec(text)
  if (open !== null) {
    const { slashes = "", quote = "" } = open.groups ?? {}
    const start = openQuote.lastIndex
    const end = endOfQuoted(text, start, slashes + (closing[quote] ?? quote))
    if (end !== undefined) return { value: text.slice(start, end), start, end, isQuoted: true }
    return readBare(text, start)
  }
  return readBare(text, at)
}

/** ODBC and SQL Server put braces around a value with special characters; a name in braces is a variable. */
const braced =
  /\{(?<value>(?=[^{}\s]{0,99}[^\w.{}\s-])(?=[^{}\s]{0,99}\d)[^{}\s"'`\uFFFC]{6,100})\}(?=[;&"'`\s]|$)/y

function readBare(text: string, at: number) {
  braced.lastIndex = at
  const inside = braced.exec(text)?.groups?.value
  if (inside !== undefined)
    return { value: inside, start: at + 1, end: at + 1 + inside.length, isQuoted: false }
  bare.lastIndex = at
  const word = bare.exec(text)?.[0].replace(/[.,:)\]}…*]+$/, "") ?? ""
  return word === "" ? undefined : { value: word, start: at, end: at + word.length, isQuoted: false }
}

/** The end of the quoted text, if it is on this line. */
function endOfQuoted(text: string, start: number, close: string): number | undefined {
  const near = text.slice(start, start + longestQuoted)
  for (let at = near.indexOf(close); at >= 0; at = near.indexOf(close, at + 1)) {
    const isEscaped = close.length === 1 && /(?<!\\)(?:\\\\)*\\$/.test(near.slice(Math.max(0, at - 8), at))
    if (isEscaped) continue
    const inside = near.slice(0, at)
    return inside === "" || /[\n\uFFFC]/.test(inside) ? undefined : start + at
  }
  return undefined
}

function isSecret(strength: KeywordKind, announced: LabelledValue): boolean {
  const { value, isQuoted } = announced
  if (value.includes(blank) || isPlaceholder(value)) return false
  if (isBareHash(value)) return isHashSecret(strength, announced)
  if (strength === "password" && /^\d{6,}$/.test(value)) return isNumericPassword(announced)
  if (isOrdinary(value)) return false
  if (/\s/.test(value)) return strength === "password" && isQuoted && isPassphrase(value)
  return strength === "password" ? isPassword(announced) : isKey(strength, announced)
}

/** Whether a number is stated to be the password, and is not a date after several words. */
function isNumericPassword({ value, by, gap }: LabelledValue): boolean {
  if (by === "nothing") return false
  return gap === "" || (statesPurpose(gap) && value.length >= 8 && !/^(?:19|20)\d{6}$/.test(value))
}

const namesHash = /commit|sha|hash|digest|checksum|revision|uuid|\bids?\b|version|build|tree|blob/i

/** Whether a hash or UUID is explicitly named a secret, and is not the id of a token. */
function isHashSecret(strength: KeywordKind, { by, gap, isKeyWord = false }: LabelledValue): boolean {
  if (by === "nothing") return strength === "secret" && isKeyWord
  if (namesHash.test(gap)) return false
  return strength !== "token" || gap === ""
}

function isPassphrase(value: string): boolean {
  const words = value.split(/\s+/)
  if (words.length < 3 || words.length > 12 || /[.?!,:]$/.test(value)) return false
  return (
    words.every((word) => /^[a-z0-9]{2,12}$/.test(word)) &&
    !/\b(?:password|your|the|is|must|enter|of|to|and|for|be|not)\b/.test(value)
  )
}

/** Signs that rarely occur inside words of prose. */
const signs = /[!@#$%^&*?~+=]/

function isPassword(announced: LabelledValue): boolean {
  return announced.isQuoted ? isQuotedPassword(announced) : isBarePassword(announced)
}

function isQuotedPassword({ value, by, isFar }: LabelledValue): boolean {
  if (by === "equals" || by === "colon") return value.length >= 3
  if (by === "nothing" || isFar) return value.length >= 5 && (/\d/.test(value) || signs.test(value))
  return value.length >= 4 && (!/^[\p{L}]*[_-][\p{L}_-]*$/u.test(value) || value.split("-").length >= 4)
}

function isBarePassword(announced: LabelledValue): boolean {
  const { value, by } = announced
  if (by === "equals") return value.length >= 4 && !isCode(value)
  if (value.length < 5 || !/[\p{L}]/u.test(value)) return false
  if (by === "colon") return isUnlikeProse(value) || /\d/.test(value) || value.split("-").length >= 4
  return isSingleValue(value) && isPasswordInSentence(announced)
}

function isPasswordInSentence({ value, by, gap, isFar }: LabelledValue): boolean {
  const hasDigit = /\d/.test(value)
  if (by === "sentence" && hasDigit) {
    return !isFar || isUnlikeProse(value) || (statesPurpose(gap) && isWordWithNumber(value))
  }
  if (by === "nothing" && isWordWithNumber(value)) return true
  if (!isUnlikeProse(value)) return false
  if (by === "sentence") return statesPurpose(gap)
  return isMixed(value) || isInGroups(value) || (signs.test(value) && (hasDigit || by === "dash"))
}

/** A lower-case word that ends in a number of at least two digits; version names are shorter. */
function isWordWithNumber(value: string): boolean {
  return /^\p{L}?\p{Ll}{5,}\d{2,6}$/u.test(value)
}

/** Groups of letters, digits and letters with dashes, as routers and generators print them. */
function isInGroups(value: string): boolean {
  return /^\p{L}{3,}-\d{3,}-\p{L}{3,}$/u.test(value)
}

/** A variable or a call in an assignment: `password = userPassword`. */
function isCode(value: string): boolean {
  return /^[a-z]+(?:[A-Z][a-z]+)+\d?$/.test(value) || /[()]/.test(value.slice(0, -1))
}

/** Whether it is not a word of prose, even one with a number or punctuation at its end. */
function isUnlikeProse(value: string): boolean {
  const hasNumber = /\d/.test(value) && !/^[\p{L}]+-?\d{1,2}$/u.test(value)
  if (hasNumber || !signs.test(value.slice(1))) return hasNumber
  return !/^[\p{L}]+[?!+=]+$/u.test(value) || /\p{Ll}\p{Lu}/u.test(value)
}

/** Whether the words in between only state what the password is for. */
function statesPurpose(gap: string): boolean {
  return (
    gap === "" ||
    /^,?\s+(?:for|of|to|on|at|in|from|that|which|we|für|von|vom|zum|zur|am|im|bei|beim|der|des|das|du|de|des|pour|que|del|della|dello|di|per|che|do|da|dos|para|van|voor|op|bij|dat)\s/iu.test(
      `${gap} `,
    )
  )
}

/** Whether it is not two joined words: `either/or`, `e-mail+2fa`. */
function isSingleValue(value: string): boolean {
  return !value.includes("/") && !/^[\p{L}]{2,}[-+=&][\p{L}]{2,}$/u.test(value)
}

function isKey(strength: KeywordKind, announced: LabelledValue): boolean {
  const { value } = announced
  if (/^[\p{L}_.$-]+$/u.test(value)) return value.length >= 16 && (isRandomText(value) || looksRandom(value))
  if (/[()]/.test(value)) return false
  if (strength === "secret") {
    if (isQuotedSetting(announced)) return isMixed(value) || signs.test(value) || looksRandom(value)
    if (isNamedSecret(announced)) return true
  }
  return (
    value.length >= shortestKey(announced) && (looksRandom(value) || (isMixed(value) && !value.includes("/")))
  )
}

function shortestKey({ by, isFar }: LabelledValue): number {
  if (by === "nothing") return 16
  return isFar ? 10 : 8
}

/** A quoted value with a digit in an assignment. */
function isQuotedSetting({ value, isQuoted, by }: LabelledValue): boolean {
  return isQuoted && (by === "equals" || by === "colon") && value.length >= 8 && /\d/.test(value)
}

/** A value that is directly named a secret may be short, or invented by a person. */
function isNamedSecret({ value, by, isFar }: LabelledValue): boolean {
  if (isFar) return false
  return (by !== "nothing" && isInventedKey(value)) || (/\d/.test(value) && isRandomText(value))
}

/** A key that a person invented like a password: a word, a sign, a number and letters. */
function isInventedKey(value: string): boolean {
  return /^\p{Lu}\p{Ll}+[-_!?&#$*]\d{2,}\p{L}+$/u.test(value)
}
