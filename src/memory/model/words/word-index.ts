import { type Term, termsOf } from "../../../language/terms.ts"
import { sql, sqlList, sqlRows } from "../../../storage/sql.ts"
import type { Reader, Transaction } from "../../../storage/transaction.ts"
import { batchesOf } from "../store/batch.ts"
import { deleteUnusedSpellings, indexSpellings } from "./spelling.ts"

/** Rows of the `terms` table with the total number of memories, and of words in all memories. */
const memoriesTotal = -1
const wordsTotal = -2

/** How common terms are in the whole store. */
export interface Lexicon {
  memories: number
  /** The average number of words in a memory. */
  averageWords: number
  /** The number of memories that contain each requested term. */
  counts: Map<Term, number>
}

/** Reads how common these terms are. */
export async function readLexicon(on: Reader, terms: readonly Term[]): Promise<Lexicon> {
  const wanted = sqlList([memoriesTotal, wordsTotal, ...terms])
  const rows = await on.read<{ term: number; memories: number }>(
    sql`select term, memories from terms where term in ${wanted}`,
  )
  const counts = new Map(rows.map((row) => [row.term, row.memories]))
  const memories = counts.get(memoriesTotal) ?? 0
  return { memories, averageWords: memories === 0 ? 1 : (counts.get(wordsTotal) ?? 0) / memories, counts }
}

/** Adds the words of new or changed memories to the index. */
export async function indexTerms(
  transaction: Transaction,
  memories: readonly { id: string; content: string }[],
): Promise<void> {
  if (memories.length === 0) return
  const changes = new TermCounts()
  const byId = new Map(memories.map(({ id, content }) => [id, termsOf(content)]))
  for (const terms of byId.values()) changes.add(terms, 1)
  const seqs = await transaction.read<{ id: string; seq: number }>(
    sql`select id, seq from memories where id in ${sqlList([...byId.keys()])}`,
  )
  const rows = seqs.map(({ id, seq }) => [seq, encodeTerms(byId.get(id) ?? new Uint32Array())])
  await transaction.run(sql`
    insert into memory_terms (seq, terms) values ${sqlRows(rows)}
    on conflict (seq) do update set terms = excluded.terms`)
  await changes.write(transaction)
  await indexSpellings(
    transaction,
    memories.map(({ content }) => content),
  )
}

/** Removes the words of memories from the index, before their text changes or they are deleted. */
export async function unindexTerms(transaction: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const rows = await transaction.read<{ seq: number; terms: Uint8Array }>(sql`
    select t.seq as seq, t.terms as terms from memory_terms t join memories m on m.seq = t.seq
    where m.id in ${sqlList(ids)}`)
  if (rows.length === 0) return
  const changes = new TermCounts()
  for (const { terms } of rows) changes.add(decodeTerms(terms), -1)
  await transaction.run(sql`delete from memory_terms where seq in ${sqlList(rows.map((row) => row.seq))}`)
  await changes.write(transaction)
  await deleteUnusedSpellings(transaction, new Set(rows.flatMap(({ terms }) => [...decodeTerms(terms)])))
}

/** Reads terms from their stored bytes. */
export function decodeTerms(bytes: Uint8Array): Uint32Array {
  // Bytes from a database may start at any offset, but Uint32Array needs a multiple of four.
  return bytes.byteOffset % 4 === 0
    ? new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
    : new Uint32Array(bytes.slice().buffer)
}

function encodeTerms(terms: Uint32Array): Uint8Array {
  return new Uint8Array(terms.buffer, terms.byteOffset, terms.byteLength)
}

/** Collects changes of the `terms` table and writes them together. */
class TermCounts {
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
    for (const some of batchesOf(rows, 1000)) {
      await transaction.run(sql`
        insert into terms (term, memories) values ${sqlRows(some)}
        on conflict (term) do update set memories = terms.memories + excluded.memories`)
    }
  }
}
