/** One word of a command line as the shell would give it to the program, and where each of its characters stands. */
export interface Word {
  text: string
  /** Where the character at an index of `text` stands in the whole text. */
  offsetOf(index: number): number
  /** Where the word begins, with its quotes. */
  start: number
}

const longestCommand = 4000
const mostWords = 120

/** Signs that end a command. A quote that nothing closes belongs to the text around it. */
const ends = /[\n|`\uFFFC]/
const space = /[ \t\r]/
const continued = /(?:\\|`|\^)[ \t]{0,2}\r?\n[ \t]*/y

/**
 * The words of the command that begins here, up to its end: a line break, a pipe, a backtick, a semicolon. Quotes are
 * taken off, also those of JSON; lines that go on are joined. Reads a bounded stretch of the text.
 */
export function commandWords(text: string, from: number): Word[] {
  const until = Math.min(text.length, from + longestCommand)
  const words: Word[] = []
  let at = from
  while (at < until && words.length < mostWords) {
    at = skipSpace(text, at)
    const word = readWord(text, at, until)
    if (word === undefined) break
    words.push(word)
    at = word.end
    if (word.isLast) break
  }
  return words
}

function skipSpace(text: string, from: number): number {
  let at = from
  for (;;) {
    continued.lastIndex = at
    if (continued.test(text)) at = continued.lastIndex
    else if (space.test(text.charAt(at))) at += 1
    else return at
  }
}

interface ReadWord extends Word {
  end: number
  isLast: boolean
}

function readWord(text: string, start: number, until: number): ReadWord | undefined {
  let read = ""
  const offsets: number[] = []
  let at = start
  let isLast = false
  while (at < until) {
    const sign = text.charAt(at)
    if (space.test(sign)) break
    if (ends.test(sign) || isSeparator(text, at)) {
      isLast = true
      break
    }
    const quoted = quotedAt(text, at, until, read)
    if (quoted === "unclosed") {
      isLast = true
      break
    }
    const [from, to, next] = quoted ?? [at, at + 1, at + 1]
    for (let offset = from; offset < to; offset += 1) offsets.push(offset)
    read += text.slice(from, to)
    at = next
  }
  if (at === start) return undefined
  const after = at
  return { text: read, start, end: after, isLast, offsetOf: (index) => offsets[index] ?? after }
}

/** A semicolon or ampersand with a space or nothing behind it; others may be part of a URL or a password. */
function isSeparator(text: string, at: number): boolean {
  const sign = text.charAt(at)
  if (sign !== ";" && sign !== "&") return false
  return /^(?:[;&]{1,2}(?:\s|$))/.test(text.slice(at, at + 3))
}

/** What a quote that opens here encloses: where it begins and ends, and where reading goes on. */
function quotedAt(
  text: string,
  at: number,
  until: number,
  before: string,
): [number, number, number] | "unclosed" | undefined {
  const slashes = text.charAt(at) === "\\" ? 1 : 0
  const quote = text.charAt(at + slashes)
  if (quote !== '"' && quote !== "'") return undefined
  const close = slashes === 1 ? `\\${quote}` : quote
  const from = at + close.length
  const end = closingOf(text, from, until, close)
  if (end === undefined) return "unclosed"
  // In the middle of a word a quote opens only behind an option or a separator; elsewhere it closes something older.
  const opens = before === "" || /^-{1,2}[\w-]+$|[=:,%@/]$/.test(before)
  if (!opens && space.test(text.slice(from, end))) return "unclosed"
  return [from, end, end + close.length]
}

function closingOf(text: string, from: number, until: number, close: string): number | undefined {
  for (let at = from; at < until; at += 1) {
    if (text.charAt(at) === "\n") return undefined
    if (text.startsWith(close, at) && !(close === '"' && text.charAt(at - 1) === "\\")) return at
  }
  return undefined
}
