import type { Finding } from "../finding.ts"
import { isMixed, isOrdinary, isPlaceholder } from "../values/placeholders.ts"
import type { TellingWord } from "../values/secret-words.ts"

const tokens = /[^\s"'`<>|,;()\uFFFC]{8,100}/g
const barrier = /[\n\uFFFC]/
/** How far a telling word reaches, in characters of the same line. */
const reachesOn = 100
const reachesBack = 40

/**
 * Finds passwords that show by themselves on the line of a telling word, however the sentence is built: "the password
 * was changed from … to …", "use … as the password", a list of several.
 */
export function findEvident(text: string, words: readonly TellingWord[]): Finding[] {
  const found: Finding[] = []
  let next = 0
  for (const { 0: token, index: start } of text.matchAll(tokens)) {
    const value = token.replace(/[.:\]}…]+$/, "")
    const end = start + value.length
    while (next < words.length && (words[next]?.start ?? 0) < start) next += 1
    const word = wordFor(text, start, end, words[next - 1], words[next])
    if (word === undefined || !isPossible(value)) continue
    const isLinked = isAfterLink(text, start) || isSaidToBe(text, end, word)
    if (isEvident(value, word) || (isLinked && isLikely(value)))
      found.push({ kind: word.strength, start, end })
  }
  return found
}

const loginWords =
  /\b(?:login|log in|logins|credentials|creds|pass|anmeldung|zugangsdaten|identifiants|credenciales|credenziali|credenciais|inloggegevens)\b/gi

/** Finds passwords that show by themselves where a login is spoken of, or below the word in a table. */
export function findLogins(text: string): Finding[] {
  const words = [...text.matchAll(loginWords)].map(
    ({ 0: word, index }): TellingWord => ({ strength: "password", start: index, end: index + word.length }),
  )
  const inSentences = words.length === 0 ? [] : findEvident(text, words).filter(isSurely(text))
  return [...inSentences, ...findInTables(text)]
}

/** A word of logging in says less than one for a password: only what shows by itself counts. */
function isSurely(text: string): (finding: Finding) => boolean {
  return ({ start, end }) => {
    const value = text.slice(start, end)
    return signs.test(value.slice(1)) && isMixed(value) && /\d.*\d/.test(value)
  }
}

const tableHead =
  /\|[ \t]*[^|\n]{0,40}(?:pass|kennwort|contrase|senha|wachtwoord)[^|\n]{0,40}\|?[^\n]{0,200}\r?\n[ \t]*\|?[-:| \t]{3,200}\r?\n/gi
const tableRows = /(?:[^\n|]*\|[^\n]*(?:\n|$)){1,50}/y

function findInTables(text: string): Finding[] {
  const found: Finding[] = []
  for (const { 0: head, index } of text.matchAll(tableHead)) {
    const from = index + head.length
    tableRows.lastIndex = from
    const rows = tableRows.exec(text)?.[0] ?? ""
    for (const { 0: value, index: at } of rows.matchAll(tokens)) {
      if (!isPossible(value) || !signs.test(value.slice(1)) || !isMixed(value)) continue
      found.push({ kind: "password", start: from + at, end: from + at + value.length })
    }
  }
  return found
}

const furtherLink =
  /["'`)]{0,2},?[ \t]{1,3}(?:\p{L}{1,14}[ \t]{1,3}){0,3}?(?:and|or|to|by|now|und|oder|auf|zu|durch|et|ou|à|par|y|o|a|por|e|da|para|en|naar|door|->|=>|→|\/|&)[ \t]{1,3}["'`(]{0,2}|["'`]{0,2}[,;][ \t]{0,3}["'`]{0,2}/uy
const furtherToken = /[^\s"'`<>|,;()\uFFFC]{8,100}/y

/** The next secret behind one that was announced: "from … to …", "… and …". */
export function findFurther(text: string, { kind, end }: Finding): Finding | undefined {
  furtherLink.lastIndex = end
  if (!furtherLink.test(text)) return undefined
  const start = furtherLink.lastIndex
  furtherToken.lastIndex = start
  const value = furtherToken.exec(text)?.[0].replace(/[.:\]}…]+$/, "") ?? ""
  return isPossible(value) && isLikely(value) ? { kind, start, end: start + value.length } : undefined
}

function wordFor(
  text: string,
  start: number,
  end: number,
  before: TellingWord | undefined,
  after: TellingWord | undefined,
): TellingWord | undefined {
  if (before !== undefined && start >= before.end && start - before.end <= reachesOn) {
    if (!barrier.test(text.slice(before.end, start))) return before
  }
  if (after === undefined || after.start - end > reachesBack || after.start < end) return undefined
  return barrier.test(text.slice(end, after.start)) ? undefined : after
}

/** Names of algorithms are made of the same signs. */
const algorithm = /sha-?\d|pbkdf|hmac|argon|bcrypt|scrypt|aes-?\d|rsa-?\d|base64|utf-?8/i
const noPassword = /[/\\=([{]|^[\w.+-]+@[\w-]+\.|^[#@.$-]|::|\w\.[a-z]{2,4}$/

function isPossible(value: string): boolean {
  const hasAll = /\p{Ll}/u.test(value) && /\p{Lu}/u.test(value) && /\d/.test(value)
  return (
    hasAll && !noPassword.test(value) && !algorithm.test(value) && !isOrdinary(value) && !isPlaceholder(value)
  )
}

const signs = /[!#$%^*?~§&+]/

/** Small letters, capitals, digits and signs in turns: nothing that is written in a sentence looks so. */
function isEvident(value: string, { strength }: TellingWord): boolean {
  return strength === "password" && signs.test(value.slice(1)) && isMixed(value)
}

const link =
  /(?:^|[\s"'`(])(?:from|to|into|von|auf|zu|nach|durch|de|à|a|au|da|in|para|van|naar|door|desde|por|par|[-–—→=]|->|=>)[ \t]{1,3}["'`(]{0,2}$/iu

function isAfterLink(text: string, start: number): boolean {
  return link.test(text.slice(Math.max(0, start - 14), start))
}

const saidToBe =
  /^["'`)]{0,2}[ \t]{1,3}(?:as|is|for|als|ist|est|comme|es|como|è|come|é)[ \t]{1,3}(?:\p{L}{1,14}[ \t'’]{1,3}){0,3}$/u

/** "… is the password", "use … as our root password". */
function isSaidToBe(text: string, end: number, word: TellingWord): boolean {
  return word.start >= end && saidToBe.test(text.slice(end, word.start))
}

/** What follows "from" or "to" may be a name with a number; a password has more of both. */
function isLikely(value: string): boolean {
  if (value.length >= 10 && isMixed(value)) return true
  const digits = value.match(/\d/g)?.length ?? 0
  return (digits >= 2 && signs.test(value.slice(1))) || (/[_-]\d/.test(value) && /\d\p{L}/u.test(value))
}
