import headings from "../../../../assets/words/headings.json" with { type: "json" }

/**
 * Whether a heading changes the meaning of the text under it: "push to main" means the opposite under "Never". A false
 * positive only adds the heading to the memory's text; a false negative inverts a rule.
 */
export function isQualifying(heading: string): boolean {
  return (
    isDenying(heading) ||
    hasWord(heading, qualifying) ||
    phrases.test(heading) ||
    heading.trim().endsWith("?")
  )
}

/** Whether a heading forbids what is listed under it. */
export function isDenying(heading: string): boolean {
  return hasWord(heading, denying) || /[❌🚫⛔✗✘👎]/u.test(heading)
}

/** Whether a heading cancels a qualifying one above it, such as "Instead" under "Deprecated". */
export function isAffirming(heading: string): boolean {
  return affirming.has(wordsOf(heading)[0] ?? "") || /[✅✔👍]/u.test(heading)
}

/** Whether a text forbids something by itself, so that it needs no denying heading before it. */
export function beginsDenying(text: string): boolean {
  const [first = "", second = ""] = wordsOf(text)
  return (
    denying.has(first) || ((first === "do" || first === "must" || first === "should") && second === "not")
  )
}

/** Whether a sentence announces a list after it. */
export function announcesList(sentence: string): boolean {
  return hasWord(sentence, pointing)
}

function hasWord(text: string, words: ReadonlySet<string>): boolean {
  return wordsOf(text).some((word) => words.has(word))
}

function wordsOf(text: string): string[] {
  const plain = text.normalize("NFC").toLowerCase().replaceAll("’", "'").replace(aboutTheFile, "")
  return plain.match(/[\p{L}\p{M}]+(?:'[\p{L}\p{M}]+)*/gu) ?? []
}

function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(" "))
}

const denying = setOf(headings.denying)
const qualifying = setOf(headings.qualifying)
const affirming = setOf(headings.affirming)
const pointing = setOf(headings.pointing)

/** A note such as "(do not edit)" in a title, which is not about the content. */
const aboutTheFile = /\([^()]*do(?:n't| not) (?:edit|modify)[^()]*\)/

const phrases = /\b(?:out of scope|off[ -]limits|to[ -]?do|hors (?:scope|sujet)|fuera de alcance)\b|à faire/i
