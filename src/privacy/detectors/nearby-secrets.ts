import type { Finding } from "../finding.ts"
import { isMixed, isOrdinary, isPlaceholder } from "../values/placeholders.ts"
import type { SecretKeyword } from "../values/secret-keywords.ts"

const tokens = /[^\s"'`<>|,;()\uFFFC]{8,100}/g
const barrier = /[\n\uFFFC]/
/** How far a keyword reaches on its line, in characters. */
const reachAfter = 100
const reachBefore = 40

/**
 * Finds values that look like passwords on the line of a keyword, in any sentence: "the password was changed from … to
 * …", "use … as the password", a list of several.
 */
export function findNearKeywords(text: string, words: readonly SecretKeyword[]): Finding[] {
  const found: Finding[] = []
  let next = 0
  for (const { 0: token, index: start } of text.matchAll(tokens)) {
    const value = token.replace(/[.:\]}…]+$/, "")
    const end = start + value.length
    while (next < words.length && (words[next]?.start ?? 0) < start) next += 1
    const word = keywordFor(text, start, end, words[next - 1], words[next])
    if (word === undefined || !isPossible(value)) continue
    const isLinked = isAfterLink(text, start) || isNamedAsPassword(text, end, word)
    if (isEvident(value, word) || (isLinked && isLikely(value))) found.push({ kind: word.kind, start, end })
  }
  return found
}

const loginWords =
  /\b(?:login|log in|logins|credentials|creds|pass|anmeldung|zugangsdaten|identifiants|credenciales|credenziali|credenciais|inloggegevens)\b/gi

/** Finds values that look like passwords near words for a login, or in a table column for passwords. */
export function findNearLogins(text: string): Finding[] {
  const words = [...text.matchAll(loginWords)].map(
    ({ 0: word, index }): SecretKeyword => ({ kind: "password", start: index, end: index + word.length }),
  )
  const inSentences = words.length === 0 ? [] : findNearKeywords(text, words).filter(isSurely(text))
  return [...inSentences, ...findInTables(text)]
}

/** Near a word for a login, only very likely passwords count. */
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

/** The next secret after a labelled one: "from … to …", "… and …". */
export function findNextInList(text: string, { kind, end }: Finding): Finding | undefined {
  furtherLink.lastIndex = end
  if (!furtherLink.test(text)) return undefined
  const start = furtherLink.lastIndex
  furtherToken.lastIndex = start
  const value = furtherToken.exec(text)?.[0].replace(/[.:\]}…]+$/, "") ?? ""
  return isPossible(value) && isLikely(value) ? { kind, start, end: start + value.length } : undefined
}

function keywordFor(
  text: string,
  start: number,
  end: number,
  before: SecretKeyword | undefined,
  after: SecretKeyword | undefined,
): SecretKeyword | undefined {
  if (before !== undefined && start >= before.end && start - before.end <= reachAfter) {
    if (!barrier.test(text.slice(before.end, start))) return before
  }
  if (after === undefined || after.start - end > reachBefore || after.start < end) return undefined
  return barrier.test(text.slice(end, after.start)) ? undefined : after
}

/** Names of algorithms look similar. */
const algorithm = /sha-?\d|pbkdf|hmac|argon|bcrypt|scrypt|aes-?\d|rsa-?\d|base64|utf-?8/i
const noPassword = /[/\\=([{]|^[\w.+-]+@[\w-]+\.|^[#@.$-]|::|\w\.[a-z]{2,4}$/

function isPossible(value: string): boolean {
  const hasAll = /\p{Ll}/u.test(value) && /\p{Lu}/u.test(value) && /\d/.test(value)
  return (
    hasAll && !noPassword.test(value) && !algorithm.test(value) && !isOrdinary(value) && !isPlaceholder(value)
  )
}

const signs = /[!#$%^*?~§&+]/

/** Whether lower case, capitals, digits and signs alternate, unlike any word of prose. */
function isEvident(value: string, { kind: strength }: SecretKeyword): boolean {
  return strength === "password" && signs.test(value.slice(1)) && isMixed(value)
}

const link =
  /(?:^|[\s"'`(])(?:from|to|into|von|auf|zu|nach|durch|de|à|a|au|da|in|para|van|naar|door|desde|por|par|[-–—→=]|->|=>)[ \t]{1,3}["'`(]{0,2}$/iu

function isAfterLink(text: string, start: number): boolean {
  return link.test(text.slice(Math.max(0, start - 14), start))
}

const namedAs =
  /^["'`)]{0,2}[ \t]{1,3}(?:as|is|for|als|ist|est|comme|es|como|è|come|é)[ \t]{1,3}(?:\p{L}{1,14}[ \t'’]{1,3}){0,3}$/u

/** "… is the password", "use … as our root password". */
function isNamedAsPassword(text: string, end: number, word: SecretKeyword): boolean {
  return word.start >= end && namedAs.test(text.slice(end, word.start))
}

/** A value after "from" or "to" may be a name with a number, so a password needs more digits or signs. */
function isLikely(value: string): boolean {
  if (value.length >= 10 && isMixed(value)) return true
  const digits = value.match(/\d/g)?.length ?? 0
  return (digits >= 2 && signs.test(value.slice(1))) || (/[_-]\d/.test(value) && /\d\p{L}/u.test(value))
}
