/** A text as the numbers a model of the BERT family reads, without the marks around it. */
export interface Pieces {
  ids: number[]
  /** Where the word of each piece starts and ends in the text. */
  starts: number[]
  ends: number[]
}

/** Cuts texts into the pieces of one vocabulary. */
export interface TextCutter {
  /** The number that goes before every text. */
  readonly begin: number
  /** The number that goes after it. */
  readonly end: number
  cut(text: string): Pick<Pieces, "ids">
}

/** Cuts texts into word pieces, and knows where each stands. */
export interface WordPieces extends TextCutter {
  cut(text: string): Pieces
}

/** A word as the vocabulary knows it (lower case, no accents), with its offset in the text. */
interface Word {
  letters: string[]
  start: number
  end: number
}

/** Longer words are unknown as a whole. */
const longestWord = 100

/**
 * Opens the uncased vocabulary of a tokenizer.json. Marks such as "[CLS]" inside a text stay plain text, and the
 * truncation and padding that such files ask for are ignored: the caller knows how long a text may be.
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
    cut(text) {
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

/** The fewest letters first come from the longest piece that fits; undefined if some rest fits none. */
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

/** Words are runs of letters; every punctuation mark and every Chinese character is a word of its own. */
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

/** A character without accents and in lower case; nothing for control characters. */
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

/** The blocks of Chinese characters that this family of models was trained with as words. */
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
