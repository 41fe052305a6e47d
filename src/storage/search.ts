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

/** The words of a text as both databases index them: runs of letters and digits, lower case, without accents. */
export function wordsIn(text: string): string[] {
  const plain = text.normalize("NFKD").replaceAll(/[\u0300-\u036f]/g, "")
  return (
    plain
      .toLowerCase()
      .normalize("NFC")
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  )
}

/** The words to search for, each once, and without stop words if others remain. */
export function wordsOf(text: string): string[] {
  const words = wordsIn(text)
  const telling = words.filter((word) => !stopWords.has(word))
  return [...new Set(telling.length > 0 ? telling : words)].slice(0, 64)
}
