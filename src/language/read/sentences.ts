/** One sentence of a message, without what ends it. */
export interface Sentence {
  text: string
  /** ".", "!", "?", ":" or nothing. */
  end: string
  /** The line it stands in, from 0. */
  line: number
  /** It is an item of a list. */
  isItem: boolean
}

const item = /^\s*(?:[-*•+]|\(?\d{1,2}[.):])\s+/

/** Splits a text into sentences; full stops in names, versions and paths are none. */
export function sentencesOf(text: string): Sentence[] {
  return text.split("\n").flatMap((line, index) => {
    const isItem = item.test(line)
    return partsOf(line.replace(item, "")).map((part) => ({ ...part, line: index, isItem }))
  })
}

/** Words after which a full stop ends nothing. */
const shortened = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|approx|resp|incl|cf|no|nr|st|mr|mrs|dr|\d{1,2})\.$/i

const longestShortened = 10

/** The marks of Chinese and Japanese, which need no space after them. */
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
