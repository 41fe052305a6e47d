import { hasOtherLetters, singleSigns, wordsInRun } from "./scripts.ts"
import type { Sql } from "./sql.ts"
import type { Transaction } from "./transaction.ts"

/** One memory found, with a score that only compares within the same answer; higher is better. */
export interface Found {
  id: string
  score: number
}

/** A memory's vector, of unit length. */
export interface NewVector {
  id: string
  vector: Float32Array
}

interface TextSearch {
  /** Words as they stand in the query, at least one; each may match alone, more matches rank higher. */
  words: readonly string[]
  /** How much each word tells, for a database that does not know; all the same if not given. */
  weights?: readonly number[]
  /** A condition on `memories m` that every result fulfils. */
  where: Sql
  limit: number
}

interface VectorSearch {
  /** The embedding model's name; vectors of different models are never compared. */
  model: string
  /** Of unit length, like every stored one. */
  vector: Float32Array
  /** A condition on `memories m` that every result fulfils. */
  where: Sql
  limit: number
}

interface ManyVectorsSearch extends Omit<VectorSearch, "vector"> {
  vectors: readonly Float32Array[]
  /** What is less alike than this is left out. */
  least: number
}

interface VectorsAsked {
  model: string
  /** Of unit length, like every stored one. */
  vector: Float32Array
  seqs: readonly number[]
}

interface VectorPage {
  model: string
  /** A condition on `memories m` that every result fulfils. */
  where: Sql
  /** The last number of the page before; 0 for the first page. */
  after: number
  limit: number
}

/** A stored vector, with the number of its memory for the next page. */
interface StoredVector {
  id: string
  seq: number
  vector: Float32Array
}

/** What the two databases cannot share: full text and nearest vectors. */
export interface SearchIndex {
  fullText(search: TextSearch): Promise<Found[]>
  /** The memories whose vectors point the same way; the score is the cosine. */
  nearest(search: VectorSearch): Promise<Found[]>
  /** The same for many vectors at once, which is quicker than one by one; the answers stand in their order. */
  nearestEach(search: ManyVectorsSearch): Promise<Found[][]>
  /**
   * How near memories, given by their numbers, are to a vector: the cosine of each that has one of this model, right to
   * a hundredth or so.
   */
  cosines(asked: VectorsAsked): Promise<Map<number, number>>
  /** The exact vectors of memories, oldest memory first, a page at a time. */
  vectorsOf(page: VectorPage): Promise<StoredVector[]>
  /** Stores or replaces vectors of memories, in the caller's transaction. */
  saveVectors(transaction: Transaction, model: string, vectors: readonly NewVector[]): Promise<void>
  /** Removes the vectors of memories and every trace of them, before the memories themselves go. */
  eraseVectors(transaction: Transaction, ids: readonly string[]): Promise<void>
}

/** Vectors of one model all have the same length; anything else is a fault of the caller. */
export function requireDimensions(model: string, expected: number, vector: Float32Array): void {
  if (vector.length === expected) return
  throw new RangeError(`vectors of ${model} have ${expected} dimensions, not ${vector.length}`)
}

/** English words that say nothing about what is meant; searching for them would match nearly everything. */
export const stopWords: ReadonlySet<string> = new Set(
  `a about after all also am an and any are as at be because been before being both but by can could did do does doing
  during each for from had has have having he her here hers him his how i if in into is it its itself just me more most
  my no nor not now of off on once only or other our out over own same she should so some such than that the their them
  then there these they this those through to too under until up very was we were what when where which while who whom
  why will with would you your`.split(/\s+/),
)

/** Accents; points of Hebrew; vowel and hamza signs and the stretching line of Arabic: one writes with or without them. */
const foldedMarks =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]/g

/**
 * The words of a text as both databases index them, in order: runs of letters and digits, lower case, without accents;
 * of scripts without spaces every two signs (see scripts.ts).
 */
export function wordsIn(text: string): string[] {
  const plain = text.normalize("NFKD").replaceAll(foldedMarks, "")
  const runs =
    plain
      .toLowerCase()
      .normalize("NFC")
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  return hasOtherLetters(plain) ? runs.flatMap(wordsInRun) : runs
}

/** The words a text is found by: its words, and single Chinese signs, which may be words too. */
export function indexedWords(text: string): string[] {
  const words = wordsIn(text)
  return hasOtherLetters(text) ? [...words, ...new Set(words.flatMap(singleSigns))] : words
}

/** No word is longer in an index, and no text has more words there. */
const longestWord = 100
const mostWords = 50_000

/** The text that the databases index instead of the text itself; null where they read that as `wordsIn` does. */
export function searchText(text: string): string | null {
  if (!hasOtherLetters(text)) return null
  return indexedWords(text)
    .slice(0, mostWords)
    .map((word) => word.slice(0, longestWord).toWellFormed())
    .join(" ")
}

/** The words to search for, each once, and without stop words if others remain. */
export function wordsOf(text: string): string[] {
  const words = wordsIn(text).map((word) => word.slice(0, longestWord).toWellFormed())
  const telling = words.filter((word) => !stopWords.has(word))
  return [...new Set(telling.length > 0 ? telling : words)].slice(0, 64)
}
