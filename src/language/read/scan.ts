/** A piece of text: a word, a number, code, or a sign. */
export interface Piece {
  text: string
  lower: string
  form: "word" | "number" | "code" | "sign"
  /** A comma, semicolon, dash or bracket comes before it. */
  paused: boolean
  /** A colon or equals sign comes before it. */
  valued: boolean
}

/** Longer texts are only compared for equality. */
export const longestText = 20_000

const patterns = [
  String.raw`(?<url>[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>)\]]{1,400})`,
  String.raw`(?<mail>[\w.+-]{0,64}@[\w-]{1,64}(?:[./][\w-]{1,64}){0,6})`,
  String.raw`(?<date>\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?Z?)?|\d{1,2}[/.]\d{1,2}[/.]\d{4})(?![\w/])`,
  String.raw`(?<time>\d{1,2}:\d{2}(?::\d{2})?)(?!\d)`,
  String.raw`(?<path>(?:~|\.{1,2})?(?:\/[\w.@*+-]{1,100}){1,30}\/?|[\w@.-]{1,100}(?:\/[\w.@*+-]{1,100}){1,30}\/?|[\w.-]{1,100}\/(?=\s|$))`,
  String.raw`(?<region>(?<![\w-])[a-z]{2,20}(?:-[a-z]{2,20}){1,3}-\d{1,3}(?![\w-]))`,
  String.raw`(?<flag>(?<![\w-])--?[a-z][\w-]{0,60})`,
  String.raw`(?<version>v?\d{1,8}(?:\.\d{1,8}){2,5}(?:[-+][\w.]{1,40})?(?!\w)|v\d{1,6}(?:\.\d{1,8})?(?!\w))`,
  String.raw`(?<range>\d{1,9}\s?[–-]\s?\d{1,9}(?![\w.-]))`,
  String.raw`(?<ordinal>\d{1,6}(?:st|nd|rd|th)(?!\w))`,
  String.raw`(?<number>[$€£¥#]?-?\d{1,3}(?:,\d{3}){1,5}(?:\.\d{1,9})?|[$€£¥#]?\d{1,18}(?:\.\d{1,9})?)(?<unit>%|°?[a-zµ]{1,4}(?!\w|\.\w))?(?!\w)`,
  String.raw`(?<file>\.?[\w-]{1,100}(?:\.[\w-]{1,60}){1,6}(?:\(\))?|(?<![\w.])\.[a-z][\w-]{1,40}|!\w{1,60}|\w{1,60}\(\))`,
  String.raw`(?<lang>(?<!\w)(?:c\+\+|[cf]#))`,
  String.raw`(?<word>[\p{L}\p{M}\p{N}_]{1,200}(?:['’][\p{L}]{1,3}(?!\p{L}))?)`,
  String.raw`(?<pause>[,;()\[\]—–]|\s-\s)`,
  String.raw`(?<value>:(?=\s|$)|(?<![=!<>])=(?![=>]))`,
  String.raw`(?<sign>[<>=!&|+*^~?%]{1,3}|\p{Extended_Pictographic}|[\p{Sm}\p{So}\p{Sc}]|[^\s\p{P}\p{Sk}\p{L}\p{N}\p{M}\p{C}\p{Z}])`,
]

const scanner = new RegExp(patterns.join("|"), "iuy")
const plainWord = /([A-Za-z]+)(?:[.!]?(?: |$)|(?=[,;] |\?$))/y

/** Splits a text into pieces; linear in its length, never throws. */
export function scan(text: string): Piece[] {
  const pieces: Piece[] = []
  let paused = false
  let valued = false
  const add = (piece: string, form: Piece["form"]) => {
    pieces.push({ text: piece, lower: piece.toLowerCase(), form, paused, valued })
    paused = false
    valued = false
  }
  for (let at = 0; at < text.length; ) {
    const word = matchAt(plainWord, text, at)
    if (word?.[1] !== undefined) {
      add(word[1], "word")
      at += word[0].length
      continue
    }
    const match = matchAt(scanner, text, at)
    at += match === null ? 1 : match[0].length
    const groups = match?.groups ?? {}
    if (groups.pause !== undefined) paused = true
    else if (groups.value !== undefined) valued = true
    else if (match !== null) for (const [piece, form] of parts(match[0], groups)) add(piece, form)
  }
  return pieces
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

type Part = [text: string, form: Piece["form"]]

function parts(text: string, groups: Record<string, string | undefined>): Part[] {
  if (groups.word ?? groups.lang ?? groups.ordinal) return [[text, /^\d+$/.test(text) ? "number" : "word"]]
  if (groups.number !== undefined) {
    const number: Part = [groups.number, "number"]
    return groups.unit === undefined ? [number] : [number, [groups.unit, "word"]]
  }
  if (groups.version ?? groups.date ?? groups.time ?? groups.range) return [[text, "number"]]
  if (groups.sign !== undefined) return text === "!" ? [] : [[text, "sign"]]
  return [[text.replace(/(?<=.)\.+$/, ""), groups.file && isName(text) ? "word" : "code"]]
}

/** node.js and a.m. are words, app.toml and example.com are not. */
function isName(text: string): boolean {
  return /^(?:\w+\.(?:js|io)|[ap]\.m)$/i.test(text)
}
