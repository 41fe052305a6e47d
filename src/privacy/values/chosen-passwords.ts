import descriptive from "../../../assets/privacy/words-about-passwords.json" with { type: "json" }
import { isRandomText } from "./randomness.ts"

/** Words that describe a password instead of being one: "is required", "was changed". Endings catch most others. */
const descriptiveWords = new Set(descriptive.join(" ").split(" "))

const descriptiveEnding =
  /(?:ed|ing|ly|able|ible|ful|less|ive|ous|ic|al|ate|ary|ent|ant|ten|ken|den|wn|ise|ize|tion|sion|ment|ness|ity|ance|ence|est|n't|['’]\p{L}+)$/u

/** Units of measure: "at least 12 characters", "3 attempts". */
const measures =
  /^(?:char(?:acter)?s?|letters?|digits?|numbers?|symbols?|signs?|bits?|bytes?|words?|attempts?|tries|times?|seconds?|minutes?|hours?|months?|years?|chars|long|percent|users?|accounts?|rounds?|iterations?|points?)$/i

const clause =
  /(?<words>[\p{L}\d]{1,20}(?:[ \t][\p{L}\d]{1,20}[!?#*]?){0,5}?)(?=[.!,;)"'`]{0,3}(?:[ \t]{0,4}(?:[\r\n]|$)|[ \t]+[-–—(])|[.!,;][ \t]|[ \t](?:for|on|but|so)[ \t])/uy
const listed = /,|[ \t](?:for|on|but|so)[ \t]/y

/**
 * The end of plain words that a person chose as a password, if they begin here and are the whole clause. After a colon
 * they must be the whole sentence, because longer text is a list or a heading.
 */
export function chosenPasswordEnd(text: string, start: number, isAfterColon: boolean): number | undefined {
  clause.lastIndex = start
  const phrase = clause.exec(text)?.groups?.words
  if (phrase === undefined) return undefined
  const words = phrase.split(/[ \t]/)
  const isChosen = words.length === 1 ? isChosenWord(phrase) : areChosenWords(words)
  if (!isChosen) return undefined
  const end = start + phrase.length
  listed.lastIndex = end
  return isAfterColon && listed.test(text) ? undefined : end
}

/** Whether a plain word may be a chosen password, and does not describe one. */
function isChosenWord(word: string): boolean {
  const lower = word.toLowerCase()
  return /^\p{L}{5,20}$/u.test(word) && !isDescriptive(lower)
}

function isDescriptive(lower: string): boolean {
  const opposite = lower.replace(/^(?:un|in|im|ir|dis)/, "")
  return (
    descriptiveWords.has(lower) ||
    descriptiveWords.has(opposite) ||
    descriptiveEnding.test(lower) ||
    measures.test(lower)
  )
}

/** At least four lower-case words of which at most one describes a password, or three that are not words at all. */
function isPhrase(words: readonly string[]): boolean {
  if (words.length < 3 || !words.every((word) => /^[a-z]{3,10}$/.test(word))) return false
  if (isRandomText(words.join(" "))) return true
  return words.length >= 4 && words.filter(isDescriptive).length <= 1
}

/** Whether a few words are a password: a phrase, or words that do not describe one, followed by a number. */
function areChosenWords(words: readonly string[]): boolean {
  if (isPhrase(words)) return true
  const [number = "", ...plain] = words.toReversed()
  if (plain.length < 1 || plain.length > 5 || !/^\d{1,6}[!?#*]?$/.test(number)) return false
  return plain.every((word) => /^\p{L}{3,14}$/u.test(word) && !isDescriptive(word.toLowerCase()))
}
