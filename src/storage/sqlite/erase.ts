import type { DatabaseSync } from "node:sqlite"
import { sql, sqlList } from "../sql.ts"
import type { Transaction } from "../transaction.ts"

/** Overwrites the bytes that stand for memories in the chunks that are scanned. Their exact vectors go with them. */
export async function eraseCodes(transaction: Transaction, ids: readonly string[]): Promise<void> {
  const rows = await transaction.read<{ seq: number }>(
    sql`select seq from memories where id in ${sqlList(ids)}`,
  )
  const gone = new Set(rows.map(({ seq }) => seq))
  const models = await transaction.read<Model>(sql`select model, dimensions, changes from vector_models`)
  for (const model of models) await eraseFromModel(transaction, model, gone)
  await transaction.run(sql`delete from vectors where seq in ${sqlList([...gone])}`)
}

interface Model {
  model: string
  dimensions: number
  changes: number
}

async function eraseFromModel(
  transaction: Transaction,
  { model, dimensions, changes }: Model,
  gone: ReadonlySet<number>,
): Promise<void> {
  const chunks = await transaction.read<{ chunk: number; seqs: Uint8Array }>(
    sql`select chunk, seqs from vector_chunks where model = ${model}`,
  )
  let hasChanged = false
  for (const { chunk, ...row } of chunks) {
    const seqs = new Float64Array(row.seqs.slice().buffer)
    // A memory that was edited has left bytes in an older slot as well.
    const slots = [...seqs.keys()].filter((slot) => gone.has(seqs[slot] ?? 0))
    if (slots.length === 0) continue
    for (const slot of slots) seqs[slot] = -1
    const { codes, scales } = await blanked(transaction, { model, chunk, dimensions }, slots)
    await transaction.run(sql`
      update vector_chunks set changed = ${changes + 1}, seqs = ${new Uint8Array(seqs.buffer)},
        codes = ${codes}, scales = ${scales}
      where model = ${model} and chunk = ${chunk}`)
    hasChanged = true
  }
  if (!hasChanged) return
  await transaction.run(sql`update vector_models set changes = ${changes + 1} where model = ${model}`)
}

/** A chunk's bytes with nothing in these slots. */
async function blanked(
  transaction: Transaction,
  { model, chunk, dimensions }: { model: string; chunk: number; dimensions: number },
  slots: readonly number[],
): Promise<{ codes: Uint8Array; scales: Uint8Array }> {
  const [row] = await transaction.read<{ codes: Uint8Array; scales: Uint8Array }>(
    sql`select codes, scales from vector_chunks where model = ${model} and chunk = ${chunk}`,
  )
  const codes = row?.codes.slice() ?? new Uint8Array()
  const scales = row?.scales.slice() ?? new Uint8Array()
  for (const slot of slots) {
    codes.fill(0, slot * dimensions, (slot + 1) * dimensions)
    scales.fill(0, slot * 4, (slot + 1) * 4)
  }
  return { codes, scales }
}

/**
 * Writes the file anew without anything that was deleted: full text keeps the words of deleted rows until its parts
 * are merged, and free pages and the log keep whole rows.
 */
export function rewriteFile(connection: DatabaseSync): void {
  connection.exec("insert into memory_text (memory_text) values ('optimize')")
  connection.exec("vacuum")
}

/** Empties the log into the file; false while another connection still reads from it. */
export function emptyLog(connection: DatabaseSync): boolean {
  return connection.prepare("pragma wal_checkpoint(truncate)").get()?.busy === 0
}
