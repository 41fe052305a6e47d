import type { Sql } from "./sql.ts"
import type { Transaction } from "./transaction.ts"
import { hasNonLatinLetters, segmentRun, singleHanCharacters } from "./unspaced-scripts.ts"

/** One hit. Scores are comparable within one result only; higher is better. */
export interface Found {
  id: string
  score: number
}

/** A memory's vector. All vectors have unit length. */
export interface NewVector {
  id: string
  vector: Float32Array
}

interface TextSearch {
  /** At least one word. One match is enough; more matches rank higher. */
  words: readonly string[]
  /** The weight of each word, for a database that does not compute it; by default equal. */
  weights?: readonly number[]
  /** A condition on `memories m` that every hit fulfils. */
  where: Sql
  limit: number
}

interface VectorSearch extends Pick<TextSearch, "where" | "limit"> {
  /** The embedding model's name; vectors of different models are never compared. */
  model: string
  vector: Float32Array
}

interface ManyVectorsSearch extends Omit<VectorSearch, "vector"> {
  vectors: readonly Float32Array[]
  /** The minimum cosine of a hit. */
  least: number
}

interface VectorPage extends Omit<VectorSearch, "vector"> {
  /** The last `seq` of the previous page; 0 for the first page. */
  after: number
}

/** A stored vector, with the `seq` of its memory for the next page. */
interface StoredVector extends NewVector {
  seq: number
}

/** Full-text and vector search, which the two databases implement differently. */
export interface SearchIndex {
  fullText(search: TextSearch): Promise<Found[]>
  /** The memories with the nearest vectors; the score is the cosine. */
  nearest(search: VectorSearch): Promise<Found[]>
  /** The same for many vectors, faster than one by one; results are in their order. */
  nearestEach(search: ManyVectorsSearch): Promise<Found[][]>
  /** The cosines, by `seq` and accurate to about 0.01, of those memories that have a vector of this model. */
  cosines(
    query: Pick<VectorSearch, "model" | "vector"> & { seqs: readonly number[] },
  ): Promise<Map<number, number>>
  /** One page of exact vectors, the oldest memory first. */
  vectorsOf(page: VectorPage): Promise<StoredVector[]>
  /** Stores or replaces vectors of memories, in the caller's transaction. */
  saveVectors(transaction: Transaction, model: string, vectors: readonly NewVector[]): Promise<void>
  /** Removes all traces of the vectors of memories. Call it before the memories are deleted. */
  eraseVectors(transaction: Transaction, ids: readonly string[]): Promise<void>
}

/** Throws if a vector does not have the length of its model's vectors. */
export function requireDimensions(model: string, expected: number, vector: Float32Array): void {
  if (vector.length === expected) return
  throw new RangeError(`vectors of ${model} have ${expected} dimensions, not ${vector.length}`)
}

/** English stop words, which match nearly every text. */
export const stopWords: ReadonlySet<string> = new Set(
  `a about after all also am an and any are as at be because been before being both but by can could did do does doing
  during each for from had has have having he her here hers him his how i if in into is it its itself just me more most
  my no nor not now of off on once only or other our out over own same she should so some such than that the their them
  then there these they this those through to too under until up very was we were what when where which while who whom
  why will with would you your`.split(/\s+/),
)

/** Optional marks: accents, Hebrew points, Arabic vowel and hamza signs and the tatweel. */
const foldedMarks =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]/g

/**
 * The words of a text as both databases index them, in order: runs of letters and digits, lower case, without accents;
 * for scripts without spaces every pair of characters (see unspaced-scripts.ts).
 */
export function tokenize(text: string): string[] {
  const plain = text.normalize("NFKD").replaceAll(foldedMarks, "")
  const runs =
    plain
      .toLowerCase()
      .normalize("NFC")
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  return hasNonLatinLetters(plain) ? runs.flatMap(segmentRun) : runs
}

/** The words that find a text: its words and single Chinese characters. */
export function indexTerms(text: string): string[] {
  const words = tokenize(text)
  return hasNonLatinLetters(text) ? [...words, ...new Set(words.flatMap(singleHanCharacters))] : words
}

/** Limits of the index: the length of a word, and the number of words of one text. */
const longestWord = 100
const mostWords = 50_000

/** The text to index instead of the original; null if the databases' own tokenizers give the words of `tokenize`. */
export function searchText(text: string): string | null {
  if (!hasNonLatinLetters(text)) return null
  return indexTerms(text)
    .slice(0, mostWords)
    .map((word) => word.slice(0, longestWord).toWellFormed())
    .join(" ")
}

/** The distinct words to search for, without stop words unless there are no others. */
export function searchTerms(text: string): string[] {
  const words = tokenize(text).map((word) => word.slice(0, longestWord).toWellFormed())
  const meaningful = words.filter((word) => !stopWords.has(word))
  return [...new Set(meaningful.length > 0 ? meaningful : words)].slice(0, 64)
}
