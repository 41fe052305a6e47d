import { hashOf, type Term, termOf } from "../../../language/terms.ts"
import { indexTerms, stopWords } from "../../../storage/search.ts"
import { sql, sqlList, sqlRows } from "../../../storage/sql.ts"
import type { Reader, Transaction } from "../../../storage/transaction.ts"
import { hasUnspacedScript } from "../../../storage/unspaced-scripts.ts"
import { batchesOf } from "../store/batch.ts"

/** Shorter words resemble too many others; longer ones are rarely words. */
const shortest = 4
const longest = 24

/** The words of texts that spelling correction covers: letters only, of scripts with spaces. */
function spelledWords(texts: Iterable<string>): string[] {
  const words = new Set<string>()
  for (const text of texts) {
    for (const word of indexTerms(text)) if (isSpelled(word)) words.add(word)
  }
  return [...words]
}

function isSpelled(word: string): boolean {
  if (word.length < shortest || word.length > longest || stopWords.has(word)) return false
  return /^[\p{L}\p{M}]+$/u.test(word) && !hasUnspacedScript(word)
}

/** The hashes of a word and of the word without each letter: words one letter apart share a hash. */
function variantsOf(word: string): number[] {
  const letters = [...word]
  const variants = new Set([hashOf(word)])
  for (let index = 0; index < letters.length; index += 1) variants.add(hashOf(without(letters, index)))
  return [...variants]
}

function without(letters: readonly string[], index: number): string {
  return letters.toSpliced(index, 1).join("")
}

/** Adds the words of new texts to the spelling index. */
export async function indexSpellings(transaction: Transaction, texts: Iterable<string>): Promise<void> {
  const fresh: { word: string; term: Term }[] = []
  for (const some of batchesOf(spelledWords(texts))) {
    const terms = sqlList([...new Set(some.map(termOf))])
    const rows = await transaction.read<{ word: string }>(
      sql`select word from vocabulary where term in ${terms}`,
    )
    const known = new Set(rows.map(({ word }) => word))
    for (const word of some) if (!known.has(word)) fresh.push({ word, term: termOf(word) })
  }
  for (const some of batchesOf(fresh)) {
    const words = sqlRows(some.map(({ word, term }) => [term, word]))
    await transaction.run(sql`insert into vocabulary (term, word) values ${words} on conflict do nothing`)
  }
  for (const some of batchesOf(fresh.flatMap(({ word }) => variantsOf(word).map((one) => [one, word])))) {
    await transaction.run(
      sql`insert into spellings (variant, word) values ${sqlRows(some)} on conflict do nothing`,
    )
  }
}

/** Deletes those words with these terms that no memory contains any more. */
export async function deleteUnusedSpellings(transaction: Transaction, terms: Iterable<Term>): Promise<void> {
  for (const some of batchesOf([...terms])) {
    const rows = await transaction.read<{ word: string }>(sql`
      select v.word as word from vocabulary v join terms t on t.term = v.term
      where v.term in ${sqlList(some)} and t.memories <= 0`)
    await deleteWords(
      transaction,
      rows.map(({ word }) => word),
    )
  }
}

/** Deletes every word of purged texts, even if other memories contain it. */
export async function purgeSpellings(transaction: Transaction, texts: Iterable<string>): Promise<void> {
  await deleteWords(transaction, spelledWords(texts))
}

async function deleteWords(transaction: Transaction, words: readonly string[]): Promise<void> {
  for (const some of batchesOf(words)) {
    const named = sqlList(some)
    for (const variants of batchesOf([...new Set(some.flatMap(variantsOf))])) {
      await transaction.run(
        sql`delete from spellings where variant in ${sqlList(variants)} and word in ${named}`,
      )
    }
    const terms = sqlList([...new Set(some.map(termOf))])
    await transaction.run(sql`delete from vocabulary where term in ${terms} and word in ${named}`)
  }
}

/** At most this many words of a query are corrected. */
const maxCorrected = 8

/**
 * Corrections for words that no memory contains: the most common word one edit away (a letter wrong, missing, added, or
 * two swapped). In short words the first letter must be right, since mistakes there are rare.
 */
export async function correctedWords(on: Reader, unknown: readonly string[]): Promise<Map<string, string>> {
  const asked = unknown.filter(isSpelled).slice(0, maxCorrected)
  if (asked.length === 0) return new Map()
  const variants = sqlList([...new Set(asked.flatMap(variantsOf))])
  const rows = await on.read<{ word: string }>(
    sql`select distinct word from spellings where variant in ${variants} order by word`,
  )
  const near = asked.map((word) => rows.map((row) => row.word).filter((meant) => isMistyped(word, meant)))
  if (near.every((words) => words.length === 0)) return new Map()
  const counts = await countsOf(on, near.flat())
  return new Map(
    asked.flatMap((word, index): [string, string][] => {
      const [best] = (near[index] ?? []).sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0))
      return best ? [[word, best]] : []
    }),
  )
}

/** The number of memories that contain each word. */
async function countsOf(on: Reader, words: readonly string[]): Promise<Map<string, number>> {
  const rows = await on.read<{ term: number; memories: number }>(
    sql`select term, memories from terms where term in ${sqlList(words.map(termOf))}`,
  )
  const counts = new Map(rows.map(({ term, memories }) => [term, memories]))
  return new Map(words.map((word) => [word, counts.get(termOf(word)) ?? 0]))
}

/** In shorter words the first letter must be right. */
const firstMayBeWrong = 6
/** In shorter words only a swap or an added letter is corrected. */
const shortWord = 5

function isMistyped(typed: string, meant: string): boolean {
  const [a, b] = [[...typed], [...meant]]
  if (a[0] !== b[0] && a.length < firstMayBeWrong) return false
  const start = a.findIndex((letter, index) => letter !== b[index])
  if (start < 0) return b.length === a.length + 1 && a.length >= shortWord
  const isRest = (skipA: number, skipB: number) => isSame(a.slice(start + skipA), b.slice(start + skipB))
  const isExchanged = a[start] === b[start + 1] && a[start + 1] === b[start] && isRest(2, 2)
  if (isExchanged || isRest(1, 0)) return true
  return a.length >= shortWord && (isRest(1, 1) || isRest(0, 1))
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((letter, index) => letter === b[index])
}
