import { type Term, termsOf } from "../../../language/terms.ts"
import { sql, sqlList, sqlRows } from "../../../storage/sql.ts"
import type { Reader, Transaction } from "../../../storage/transaction.ts"
import { dropUnusedSpellings, noteSpellings } from "./spelling.ts"

/** Under these numbers the table of terms keeps the number of memories, and of all their words. */
const memoriesTotal = -1
const wordsTotal = -2

/** How common words are in the whole store. */
export interface Lexicon {
  memories: number
  /** The average number of words in a memory. */
  averageWords: number
  /** In how many memories each of the terms asked for occurs. */
  counts: Map<Term, number>
}

/** Looks up how common these terms are. */
export async function readLexicon(on: Reader, terms: readonly Term[]): Promise<Lexicon> {
  const wanted = sqlList([memoriesTotal, wordsTotal, ...terms])
  const rows = await on.read<{ term: number; memories: number }>(
    sql`select term, memories from terms where term in ${wanted}`,
  )
  const counts = new Map(rows.map((row) => [row.term, row.memories]))
  const memories = counts.get(memoriesTotal) ?? 0
  return { memories, averageWords: memories === 0 ? 1 : (counts.get(wordsTotal) ?? 0) / memories, counts }
}

/** Notes the words of memories that are new or whose text changed. */
export async function indexTerms(
  transaction: Transaction,
  memories: readonly { id: string; content: string }[],
): Promise<void> {
  if (memories.length === 0) return
  const changes = new Changes()
  const byId = new Map(memories.map(({ id, content }) => [id, termsOf(content)]))
  for (const terms of byId.values()) changes.add(terms, 1)
  const seqs = await transaction.read<{ id: string; seq: number }>(
    sql`select id, seq from memories where id in ${sqlList([...byId.keys()])}`,
  )
  const rows = seqs.map(({ id, seq }) => [seq, bytesOf(byId.get(id) ?? new Uint32Array())])
  await transaction.run(sql`
    insert into memory_terms (seq, terms) values ${sqlRows(rows)}
    on conflict (seq) do update set terms = excluded.terms`)
  await changes.write(transaction)
  await noteSpellings(
    transaction,
    memories.map(({ content }) => content),
  )
}

/** Takes the words of memories out again, before their text changes or they go. */
export async function forgetTerms(transaction: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const rows = await transaction.read<{ seq: number; terms: Uint8Array }>(sql`
    select t.seq as seq, t.terms as terms from memory_terms t join memories m on m.seq = t.seq
    where m.id in ${sqlList(ids)}`)
  if (rows.length === 0) return
  const changes = new Changes()
  for (const { terms } of rows) changes.add(termsFrom(terms), -1)
  await transaction.run(sql`delete from memory_terms where seq in ${sqlList(rows.map((row) => row.seq))}`)
  await changes.write(transaction)
  await dropUnusedSpellings(transaction, new Set(rows.flatMap(({ terms }) => [...termsFrom(terms)])))
}

/** The terms that were stored as bytes. */
export function termsFrom(bytes: Uint8Array): Uint32Array {
  // Bytes from a database need not begin at a multiple of four.
  return bytes.byteOffset % 4 === 0
    ? new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
    : new Uint32Array(bytes.slice().buffer)
}

function bytesOf(terms: Uint32Array): Uint8Array {
  return new Uint8Array(terms.buffer, terms.byteOffset, terms.byteLength)
}

/** Counts to be added to the table of terms, all at once. */
class Changes {
  readonly #counts = new Map<number, number>()

  add(terms: Uint32Array, by: 1 | -1): void {
    this.#count(memoriesTotal, by)
    this.#count(wordsTotal, by * terms.length)
    for (const term of new Set(terms)) this.#count(term, by)
  }

  #count(term: number, by: number): void {
    this.#counts.set(term, (this.#counts.get(term) ?? 0) + by)
  }

  async write(transaction: Transaction): Promise<void> {
    const rows = [...this.#counts].filter(([, by]) => by !== 0)
    for (let from = 0; from < rows.length; from += 1000) {
      await transaction.run(sql`
        insert into terms (term, memories) values ${sqlRows(rows.slice(from, from + 1000))}
        on conflict (term) do update set memories = terms.memories + excluded.memories`)
    }
  }
}
