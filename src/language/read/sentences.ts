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
const shortened = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|approx|resp|incl|cf|no|nr|st|mr|mrs|dr|\d{1,2})\.$/i

const longestShortened = 10

/** End marks of Chinese and Japanese, which need no space after them. */
const ends = new Map([
  ["。", "."],
  ["！", "!"],
  ["；", ";"],
])

function partsOf(line: string): { text: string; end: string }[] {
  const parts: { text: string; end: string }[] = []
  let begin = 0
  let seen = 0
  let isInCode = false
  for (const match of line.matchAll(/(?:(?<![.!?])[.!?]+|;)(?=\s|$)|[。！？；]+/g)) {
    const until = match.index + match[0].length
    if (shortened.test(line.slice(Math.max(begin, until - longestShortened), until))) continue
    for (; seen < match.index; seen += 1) if (line[seen] === "`") isInCode = !isInCode
    if (isInCode) continue
    push(parts, line.slice(begin, match.index), match[0])
    begin = until
  }
  push(parts, line.slice(begin), "")
  return parts
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
