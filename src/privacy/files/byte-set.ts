/** The bytes that [a-z], [!…] or [[:alpha:]] matches, and where it ends. */
interface ByteSet {
  bytes: Uint8Array
  end: number
}

/** Reads a set from its opening bracket by git's rules; undefined if it is unclosed or names an unknown class. */
export function readByteSet(pattern: string, from: number): ByteSet | undefined {
  const isNegative = pattern[from + 1] === "!" || pattern[from + 1] === "^"
  const first = from + (isNegative ? 2 : 1)
  const bytes = new Uint8Array(256)
  let part: Part = { takes: () => false, before: 0, end: first }
  // A closing bracket in first position is part of the set.
  while (part.end === first || pattern[part.end] !== "]") {
    const next = readPart(pattern, part.end, part.before)
    if (next === undefined) return undefined
    for (const byte of bytes.keys()) if (next.takes(byte)) bytes[byte] = 1
    part = next
  }
  return { bytes: isNegative ? bytes.map((one) => 1 - one) : bytes, end: part.end + 1 }
}

interface Part {
  takes(byte: number): boolean
  /** The byte that a following range would begin with; 0 for none. */
  before: number
  end: number
}

function readPart(pattern: string, at: number, before: number): Part | undefined {
  if (at >= pattern.length) return undefined
  if (isRange(pattern, at, before)) {
    const high = readByte(pattern, at + 1)
    return high && { takes: (byte) => byte >= before && byte <= high.byte, before: 0, end: high.end }
  }
  if (pattern.startsWith("[:", at)) {
    const close = pattern.indexOf("]", at + 2)
    if (close === -1) return undefined
    if (close > at + 2 && pattern[close - 1] === ":")
      return readClass(pattern.slice(at + 2, close - 1), close)
  }
  const one = readByte(pattern, at)
  return one && { takes: (byte) => byte === one.byte, before: one.byte, end: one.end }
}

function isRange(pattern: string, at: number, before: number): boolean {
  return pattern[at] === "-" && before !== 0 && at + 1 < pattern.length && pattern[at + 1] !== "]"
}

function readByte(pattern: string, at: number): { byte: number; end: number } | undefined {
  const index = pattern[at] === "\\" ? at + 1 : at
  return index < pattern.length ? { byte: pattern.charCodeAt(index), end: index + 1 } : undefined
}

function readClass(name: string, close: number): Part | undefined {
  const named = classes.get(name)
  return named && { takes: (byte) => named.test(String.fromCharCode(byte)), before: 0, end: close + 1 }
}

const classes = new Map([
  ["alnum", /[A-Za-z0-9]/],
  ["alpha", /[A-Za-z]/],
  ["blank", /[ \t]/],
  ["cntrl", /[^ -~\x80-\xff]/],
  ["digit", /\d/],
  ["graph", /[!-~]/],
  ["lower", /[a-z]/],
  ["print", /[ -~]/],
  ["punct", /[!-/:-@[-`{-~]/],
  ["space", /[ \t\n\v\f\r]/],
  ["upper", /[A-Z]/],
  ["xdigit", /[A-Fa-f0-9]/],
])
