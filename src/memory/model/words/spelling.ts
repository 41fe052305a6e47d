import { hashOf, type Term, termOf } from "../../../language/terms.ts"
import { isSpaceless } from "../../../storage/scripts.ts"
import { indexedWords, stopWords } from "../../../storage/search.ts"
import { sql, sqlList, sqlRows } from "../../../storage/sql.ts"
import type { Reader, Transaction } from "../../../storage/transaction.ts"
import { batchesOf } from "../store/batch.ts"

/** Shorter words are near too many others, longer ones are seldom words. */
const shortest = 4
const longest = 24

/** The words of texts that one can mistype: letters only, of scripts with spaces. */
function spelledWords(texts: Iterable<string>): string[] {
  const words = new Set<string>()
  for (const text of texts) {
    for (const word of indexedWords(text)) if (isSpelled(word)) words.add(word)
  }
  return [...words]
}

function isSpelled(word: string): boolean {
  if (word.length < shortest || word.length > longest || stopWords.has(word)) return false
  return /^[\p{L}\p{M}]+$/u.test(word) && !isSpaceless(word)
}

/** The numbers of a word and of what is left when one letter is missing: words one letter apart share one. */
function variantsOf(word: string): number[] {
  const letters = [...word]
  const variants = new Set([hashOf(word)])
  for (let index = 0; index < letters.length; index += 1) variants.add(hashOf(without(letters, index)))
  return [...variants]
}

function without(letters: readonly string[], index: number): string {
  return letters.toSpliced(index, 1).join("")
}

/** Notes the words of new texts, so that they are found when somebody mistypes them. */
export async function noteSpellings(transaction: Transaction, texts: Iterable<string>): Promise<void> {
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

/** Takes out the words that no memory has any more, of those with these numbers. */
export async function dropUnusedSpellings(transaction: Transaction, terms: Iterable<Term>): Promise<void> {
  for (const some of batchesOf([...terms])) {
    const rows = await transaction.read<{ word: string }>(sql`
      select v.word as word from vocabulary v join terms t on t.term = v.term
      where v.term in ${sqlList(some)} and t.memories <= 0`)
    await dropWords(
      transaction,
      rows.map(({ word }) => word),
    )
  }
}

/** Takes out every word of texts that are purged, whoever else says it: nothing of them may stay. */
export async function purgeSpellings(transaction: Transaction, texts: Iterable<string>): Promise<void> {
  await dropWords(transaction, spelledWords(texts))
}

async function dropWords(transaction: Transaction, words: readonly string[]): Promise<void> {
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

/** No more words of a question than this are looked up. */
const mostCorrected = 8

/**
 * For words that no memory has: the word that somebody likely meant, one letter away (one wrong, missing, too many, or two
 * exchanged), if there is one. Mistakes in the first letter are rare, so those must not stand in a short word.
 */
export async function correctedWords(on: Reader, unknown: readonly string[]): Promise<Map<string, string>> {
  const asked = unknown.filter(isSpelled).slice(0, mostCorrected)
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

/** In how many memories words occur. */
async function countsOf(on: Reader, words: readonly string[]): Promise<Map<string, number>> {
  const rows = await on.read<{ term: number; memories: number }>(
    sql`select term, memories from terms where term in ${sqlList(words.map(termOf))}`,
  )
  const counts = new Map(rows.map(({ term, memories }) => [term, memories]))
  return new Map(words.map((word) => [word, counts.get(termOf(word)) ?? 0]))
}

/** Words of fewer letters must have the first one right. */
const firstMayBeWrong = 6
/** Of words of four letters two are exchanged, or one is too many. */
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
