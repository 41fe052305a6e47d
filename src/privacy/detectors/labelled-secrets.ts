import { type Finding, hole } from "../finding.ts"
import { isBareHash, isMixed, isOrdinary, isPlaceholder, looksRandom } from "../values/placeholders.ts"
import { chosenEnd } from "../values/plain-words.ts"
import { findNear } from "../values/random-values.ts"
import { isByChance } from "../values/randomness.ts"
import { type Strength, type TellingWord, tellingWords } from "../values/secret-words.ts"
import { findEvident, findFurther } from "./nearby-secrets.ts"

/** What stands where a telling word announces a secret. */
interface Announced {
  value: string
  start: number
  end: number
  isQuoted: boolean
  /** How it is announced: `name=value`, `name: value`, `name - value`, "… is value", or right behind the word. */
  by: "equals" | "colon" | "dash" | "sentence" | "nothing"
  /** The words between, if any. */
  gap: string
  /** Whether there are any. */
  isFar: boolean
  /** Whether the word that announces it names a key. */
  isKeyWord?: boolean
}

/** Finds secrets that a telling word announces: assignments in any language, headers, prose. */
export function findAnnounced(text: string): Finding[] {
  const found: Finding[] = []
  const words = tellingWords(text)
  let covered = 0
  for (const word of words) {
    // What lies inside a secret announces nothing more.
    const finding = word.start < covered ? undefined : announcedBy(text, word)
    if (finding === undefined) continue
    for (let one: Finding | undefined = finding; one !== undefined; one = findFurther(text, one)) {
      found.push(one)
      covered = one.end
    }
  }
  return words.length === 0 ? found : [...found, ...findNear(text, words), ...findEvident(text, words)]
}

function announcedBy(text: string, word: TellingWord): Finding | undefined {
  for (const read of readers) {
    const announced = read(text, word.end)
    if (announced === undefined) continue
    const isKeyWord = text.slice(word.end - 3, word.end).toLowerCase() === "key"
    if (isSecret(word.strength, { ...announced, isKeyWord })) {
      return { kind: word.strength, start: announced.start, end: wholeEnd(text, announced) }
    }
    const chosen = word.strength === "password" ? chosenBy(text, word, announced) : undefined
    if (chosen !== undefined) return chosen
    // An assignment says what the value is; a sentence may have been read at the wrong position.
    if (announced.by === "equals" || announced.by === "colon") return undefined
  }
  return undefined
}

const plainlySaid = /^(?:pass(?:word|phrase|code)|pw|(?:wi-?fi|wlan|wpa\d?)[ _-]?key)$/i
const saysWhatItIs = /(?:[ \t](?:is|was)|:|=|['’]s)[ \t:]{0,3}(?:(?:now|still|currently|just)[ \t])?["'`]?$/i
/** Another word before it on its line, or a line above it that names a user. */
const speaksBefore = /\p{L}[ \t]$|(?:user|login|mail|account)[^\n]{0,80}\r?\n[ \t*-]{0,8}$/iu

/** Plain words that are said to be the password: "the password is swordfish". Only where the words say nothing else. */
function chosenBy(text: string, { start, end }: TellingWord, announced: Announced): Finding | undefined {
  const { by, gap, isQuoted } = announced
  if (isQuoted || by === "dash" || by === "nothing" || !plainlySaid.test(text.slice(start, end)))
    return undefined
  if (gap !== "" && !/^[ \t](?:for|of|on|at)[ \t]/.test(gap)) return undefined
  if (!saysWhatItIs.test(text.slice(end, announced.start))) return undefined
  const isAssigned = by === "equals" || by === "colon"
  if (isAssigned && !speaksBefore.test(text.slice(Math.max(0, start - 100), start))) return undefined
  const chosen = chosenEnd(text, announced.start, isAssigned)
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

const readers = [
  (text: string, at: number) => readBehind(text, at, equals, "equals"),
  (text: string, at: number) => readBehind(text, at, colon, "colon"),
  (text: string, at: number) => readBehind(text, at, dash, "dash"),
  (text: string, at: number) => readBehind(text, at, sentence, "sentence"),
  (text: string, at: number) => readBehind(text, at, nothing, "nothing"),
] as const

function readBehind(text: string, at: number, by: RegExp, how: Announced["by"]): Announced | undefined {
  restOfName.lastIndex = at
  const name = restOfName.exec(text)?.[0] ?? ""
  // In a sentence the word stands alone; in code it may be part of a longer name.
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

/** A value that is longer than what was looked at is a secret to its end. */
function wholeEnd(text: string, { value, end }: Announced): number {
  if (value.length < longestLookedAt) return end
  restOfValue.lastIndex = end
  return end + (restOfValue.exec(text)?.[0].length ?? 0)
}

const closing: Record<string, string> = {
  '"': '"',
  "'": "'",
  "`": "`",
  "“": "”",
  "«": "»",
  "‘": "’",
  "„": "“",
}
const openQuote = /(?:[bfru]{1,2}(?=["']))?(?<slashes>\\{0,3})(?<quote>["'`“«‘„「『])/y
/** A semicolon, an ampersand or a bar ends the value only where the next setting or the margin follows. */
const bare = /(?:[^\s"'`<>;&|\uFFFC]|[;&|](?![\w .-]{1,40}=|\s|$)){1,256}/y
const longestQuoted = 500
const longestLookedAt = 250
const restOfValue = /[^\s"'`<>;&|\uFFFC]*/y

/** The value that begins here, without its quotes. */
function readValue(
  text: string,
  at: number,
): Pick<Announced, "value" | "start" | "end" | "isQuoted"> | undefined {
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

/** ODBC and SQL Server put braces around a value with signs in it; a name in braces is a variable. */
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

/** Where the quoted text ends, if it does on this line. */
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

function isSecret(strength: Strength, announced: Announced): boolean {
  const { value, isQuoted } = announced
  if (value.includes(hole) || isPlaceholder(value)) return false
  if (isBareHash(value)) return isHashSecret(strength, announced)
  if (strength === "password" && /^\d{6,}$/.test(value)) return isSaidNumber(announced)
  if (isOrdinary(value)) return false
  if (/\s/.test(value)) return strength === "password" && isQuoted && isPassphrase(value)
  return strength === "password" ? isPassword(announced) : isKey(strength, announced)
}

/** A number is a password if it is said to be one, but a date behind several words is a date. */
function isSaidNumber({ value, by, gap }: Announced): boolean {
  if (by === "nothing") return false
  return gap === "" || (saysWhatFor(gap) && value.length >= 8 && !/^(?:19|20)\d{6}$/.test(value))
}

const speaksOfHash = /commit|sha|hash|digest|checksum|revision|uuid|\bids?\b|version|build|tree|blob/i

/** A hash or UUID is a secret if it is said to be one outright, but the id of a token is not. */
function isHashSecret(strength: Strength, { by, gap, isKeyWord = false }: Announced): boolean {
  if (by === "nothing") return strength === "secret" && isKeyWord
  if (speaksOfHash.test(gap)) return false
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

/** Signs that hardly stand inside a word of prose. */
const signs = /[!@#$%^&*?~+=]/

function isPassword(announced: Announced): boolean {
  return announced.isQuoted ? isQuotedPassword(announced) : isBarePassword(announced)
}

function isQuotedPassword({ value, by, isFar }: Announced): boolean {
  if (by === "equals" || by === "colon") return value.length >= 3
  if (by === "nothing" || isFar) return value.length >= 5 && (/\d/.test(value) || signs.test(value))
  return value.length >= 4 && (!/^[\p{L}]*[_-][\p{L}_-]*$/u.test(value) || value.split("-").length >= 4)
}

function isBarePassword(announced: Announced): boolean {
  const { value, by } = announced
  if (by === "equals") return value.length >= 4 && !isCode(value)
  if (value.length < 5 || !/[\p{L}]/u.test(value)) return false
  if (by === "colon") return isMade(value) || /\d/.test(value) || value.split("-").length >= 4
  return isOneThing(value) && isSpokenPassword(announced)
}

function isSpokenPassword({ value, by, gap, isFar }: Announced): boolean {
  const hasDigit = /\d/.test(value)
  if (by === "sentence" && hasDigit) {
    return !isFar || isMade(value) || (saysWhatFor(gap) && isWordWithNumber(value))
  }
  if (by === "nothing" && isWordWithNumber(value)) return true
  if (!isMade(value)) return false
  if (by === "sentence") return saysWhatFor(gap)
  return isMixed(value) || isInGroups(value) || (signs.test(value) && (hasDigit || by === "dash"))
}

/** A word of small letters and a number of two digits or more at its end; names of versions are shorter. */
function isWordWithNumber(value: string): boolean {
  return /^\p{L}?\p{Ll}{5,}\d{2,6}$/u.test(value)
}

/** Letters, digits and letters again with dashes between, as routers and generators print them. */
function isInGroups(value: string): boolean {
  return /^\p{L}{3,}-\d{3,}-\p{L}{3,}$/u.test(value)
}

/** A variable or a call in an assignment: `password = userPassword`. */
function isCode(value: string): boolean {
  return /^[a-z]+(?:[A-Z][a-z]+)+\d?$/.test(value) || /[()]/.test(value.slice(0, -1))
}

/** Not a word of prose, even with a number or a question mark at its end; capitals inside make it none. */
function isMade(value: string): boolean {
  const hasNumber = /\d/.test(value) && !/^[\p{L}]+-?\d{1,2}$/u.test(value)
  if (hasNumber || !signs.test(value.slice(1))) return hasNumber
  return !/^[\p{L}]+[?!+=]+$/u.test(value) || /\p{Ll}\p{Lu}/u.test(value)
}

/** Whether the words between only say what the password is for. */
function saysWhatFor(gap: string): boolean {
  return (
    gap === "" ||
    /^,?\s+(?:for|of|to|on|at|in|from|that|which|we|für|von|vom|zum|zur|am|im|bei|beim|der|des|das|du|de|des|pour|que|del|della|dello|di|per|che|do|da|dos|para|van|voor|op|bij|dat)\s/iu.test(
      `${gap} `,
    )
  )
}

/** Not two words with something between them: `either/or`, `e-mail+2fa`. */
function isOneThing(value: string): boolean {
  return !value.includes("/") && !/^[\p{L}]{2,}[-+=&][\p{L}]{2,}$/u.test(value)
}

function isKey(strength: Strength, announced: Announced): boolean {
  const { value } = announced
  if (/^[\p{L}_.$-]+$/u.test(value)) return value.length >= 16 && (isByChance(value) || looksRandom(value))
  if (/[()]/.test(value)) return false
  if (strength === "secret") {
    if (isQuotedSetting(announced)) return isMixed(value) || signs.test(value) || looksRandom(value)
    if (isNamedSecret(announced)) return true
  }
  return (
    value.length >= shortestKey(announced) && (looksRandom(value) || (isMixed(value) && !value.includes("/")))
  )
}

function shortestKey({ by, isFar }: Announced): number {
  if (by === "nothing") return 16
  return isFar ? 10 : 8
}

/** A text with a digit in quotes that a name is set to. */
function isQuotedSetting({ value, isQuoted, by }: Announced): boolean {
  return isQuoted && (by === "equals" || by === "colon") && value.length >= 8 && /\d/.test(value)
}

/** What is called a secret outright may be short, or thought up. */
function isNamedSecret({ value, by, isFar }: Announced): boolean {
  if (isFar) return false
  return (by !== "nothing" && isMadeKey(value)) || (/\d/.test(value) && isByChance(value))
}

/** A key that somebody thought up, as passwords are: a word, a sign, a number and letters. */
function isMadeKey(value: string): boolean {
  return /^\p{Lu}\p{Ll}+[-_!?&#$*]\d{2,}\p{L}+$/u.test(value)
}
