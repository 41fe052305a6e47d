/** One word of a command line as the shell passes it to the program. */
export interface ShellWord {
  text: string
  /** The position in the whole text of the character at an index of `text`. */
  offsetOf(index: number): number
  /** The start of the word, including its quotes. */
  start: number
}

const longestCommand = 4000
const mostWords = 120

/** Characters that end a command. An unclosed quote belongs to the surrounding text. */
const ends = /[\n|`\uFFFC]/
const space = /[ \t\r]/
const continued = /(?:\\|`|\^)[ \t]{0,2}\r?\n[ \t]*/y

/**
 * The words of the command that begins here, up to a line break, pipe, backtick or semicolon. Quotes, also escaped ones
 * in JSON, are removed, and continued lines are joined. Reads at most `longestCommand` characters.
 */
export function shellWords(text: string, from: number): ShellWord[] {
  const until = Math.min(text.length, from + longestCommand)
  const words: ShellWord[] = []
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

interface ReadWord extends ShellWord {
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

/** A semicolon or ampersand before white space or the end; others may be part of a URL or a password. */
function isSeparator(text: string, at: number): boolean {
  const sign = text.charAt(at)
  if (sign !== ";" && sign !== "&") return false
  return /^(?:[;&]{1,2}(?:\s|$))/.test(text.slice(at, at + 3))
}

/** The content of a quote that opens here: its start, its end, and the position after the closing quote. */
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
  // Inside of a word, a quote opens only after an option or a separator; elsewhere it closes an earlier one.
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
