/** One sentence of a message, without its end mark. */
export interface Sentence {
  text: string
  /** ".", "!", "?", ":" or nothing. */
  end: string
  /** The number of its line, from 0. */
  line: number
  isItem: boolean
}

const item = /^\s*(?:[-*•+]|\(?\d{1,2}[.):])\s+/

/** Splits a text into sentences; full stops in names, versions and paths do not end one. */
export function sentencesOf(text: string): Sentence[] {
  return text.split("\n").flatMap((line, index) => {
    const isItem = item.test(line)
    return partsOf(line.replace(item, "")).map((part) => ({ ...part, line: index, isItem }))
  })
}

/** Abbreviations, whose full stop does not end a sentence. */
const shortened = /(?:^|[\s(])(?:e\.g|i\.e|vs|approx|resp|incl|cf|st|mr|mrs|dr)\.$/i
/** They may also be the last word of a sentence: the one that follows then begins with a capital. */
const alsoLast = /(?:^|[\s(])etc\.$/i
/** "No. 5" */
const numbered = /(?:^|[\s(])(?:no|nr)\.$/i
/** German and Danish ordinals: "am 3. Mai". */
const ordinal =
  /(?:^|\s)(?:am|vom|zum|zur|im|beim|den|dem|der|die|das|des|jede[rns]?|ab|bis|seit|til|fra)\s+\d{1,2}\.$/i

const longestShortened = 14

/** End marks of Chinese and Japanese, which need no space after them. */
const ends = new Map([
  ["。", "."],
  ["！", "!"],
  ["；", ";"],
])

function partsOf(line: string): { text: string; end: string }[] {
  const parts: { text: string; end: string }[] = []
  const spans = line.matchAll(/`[^`]*`/g)
  let code = spans.next().value
  let begin = 0
  for (const match of line.matchAll(/(?:(?<![.!?])[.!?]+|;)(?=\s|$)|[。！？；]+/g)) {
    const until = match.index + match[0].length
    while (code && code.index + code[0].length <= match.index) code = spans.next().value
    if (code && code.index < match.index) continue
    if (isAbbreviation(line, begin, until)) continue
    push(parts, line.slice(begin, match.index), match[0])
    begin = until
  }
  push(parts, line.slice(begin), "")
  return parts
}

/** Whether an abbreviation, or a number that counts what follows, ends at a place of a line. */
function isAbbreviation(line: string, begin: number, until: number): boolean {
  const text = line.slice(Math.max(begin, until - longestShortened), until)
  if (shortened.test(text) || ordinal.test(text)) return true
  if (until - begin <= longestShortened && /^\s*\(?\d{1,2}\.$/.test(text)) return true
  const next = line.slice(until, until + 2).trim()
  if (alsoLast.test(text)) return !/^\p{Lu}/u.test(next)
  return numbered.test(text) && /^\d/.test(next)
}

function push(parts: { text: string; end: string }[], text: string, mark: string): void {
  const trimmed = text.trim().replaceAll(/\s+/g, " ")
  if (trimmed === "") return
  const end = /[?？]/.test(mark) ? "?" : (ends.get(mark.slice(0, 1)) ?? mark.slice(0, 1))
  const colon = end === "" && trimmed.endsWith(":")
  parts.push({ text: colon ? trimmed.slice(0, -1).trim() : trimmed, end: colon ? ":" : end })
}

/** The sentences of a text, with the mark of a question. */
export function questionsMarked(text: string): string[] {
  return sentencesOf(text).map(({ text: words, end }) => (end === "?" ? `${words}?` : words))
}

/** The sentences of a message that could each teach something, questions with their mark. */
export function teachableSentences(text: string): string[] {
  return questionsMarked(text).filter((words) => /\p{L}/u.test(words))
}
