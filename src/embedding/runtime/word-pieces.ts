/** A text as ids of a BERT vocabulary, without marks. */
export interface Pieces {
  ids: number[]
  /** The offsets where the word of each piece starts and ends in the text. */
  starts: number[]
  ends: number[]
}

export interface TextTokenizer {
  /** The id of the mark before every text. */
  readonly begin: number
  /** The id of the mark after it. */
  readonly end: number
  tokenize(text: string): Pick<Pieces, "ids">
}

export interface WordPieces extends TextTokenizer {
  tokenize(text: string): Pieces
}

/** A word in lower case without accents, with its offsets in the text. */
interface Word {
  letters: string[]
  start: number
  end: number
}

/** Longer words are unknown. */
const longestWord = 100

/**
 * Opens the uncased vocabulary of a tokenizer.json. Marks such as "[CLS]" inside a text stay plain text. The file's
 * truncation and padding are ignored.
 */
export function openWordPieces(tokenizerJson: string): WordPieces {
  const { model }: { model: { vocab: Record<string, number> } } = JSON.parse(tokenizerJson)
  const vocabulary = new Map(Object.entries(model.vocab))
  const known = (piece: string) => {
    const id = vocabulary.get(piece)
    if (id === undefined) throw new Error(`the vocabulary has no ${piece}`)
    return id
  }
  const unknown = known("[UNK]")
  return {
    begin: known("[CLS]"),
    end: known("[SEP]"),
    tokenize(text) {
      const pieces: Pieces = { ids: [], starts: [], ends: [] }
      for (const word of wordsOf(text)) {
        for (const id of piecesOf(word.letters, vocabulary) ?? [unknown]) {
          pieces.ids.push(id)
          pieces.starts.push(word.start)
          pieces.ends.push(word.end)
        }
      }
      return pieces
    },
  }
}

/** The ids of the longest matching pieces; undefined if some part matches none. */
function piecesOf(letters: string[], vocabulary: Map<string, number>): number[] | undefined {
  if (letters.length > longestWord) return undefined
  const ids: number[] = []
  for (let start = 0; start < letters.length; ) {
    let end = letters.length
    let id: number | undefined
    for (; end > start; end -= 1) {
      id = vocabulary.get((start > 0 ? "##" : "") + letters.slice(start, end).join(""))
      if (id !== undefined) break
    }
    if (id === undefined) return undefined
    ids.push(id)
    start = end
  }
  return ids
}

/** Words are runs of letters; punctuation marks and Chinese characters are words of their own. */
function* wordsOf(text: string): Generator<Word> {
  let word: Word | undefined
  let offset = 0
  for (const character of text) {
    const start = offset
    offset += character.length
    for (const letter of simplified(character)) {
      const kind = kindOf(letter)
      if (kind === "letter") {
        word ??= { letters: [], start, end: offset }
        word.letters.push(letter)
        word.end = offset
        continue
      }
      if (word) yield word
      word = undefined
      if (kind === "alone") yield { letters: [letter], start, end: offset }
    }
  }
  if (word) yield word
}

function simplified(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code > 0x20 && code < 0x7f) return character.toLowerCase()
  if (/^[\t\n\r]$/.test(character)) return " "
  if (code === 0 || code === 0xfffd || /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u.test(character)) return ""
  return character
    .normalize("NFD")
    .replaceAll(/\p{Mn}/gu, "")
    .toLowerCase()
}

function kindOf(letter: string): "letter" | "alone" | "space" {
  const code = letter.codePointAt(0) ?? 0
  if (code < 0x80) {
    if (/[a-z0-9]/.test(letter)) return "letter"
    return code > 0x20 && code < 0x7f ? "alone" : "space"
  }
  if (/\s/.test(letter)) return "space"
  return /\p{P}/u.test(letter) || isChinese(code) ? "alone" : "letter"
}

/** The blocks of Chinese characters that these models treat as words. */
const chinese = [
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xf900, 0xfaff],
  [0x20000, 0x2a6df],
  [0x2a700, 0x2ceaf],
  [0x2f800, 0x2fa1f],
] as const

function isChinese(code: number): boolean {
  return code >= 0x3400 && chinese.some(([first, last]) => code >= first && code <= last)
}
