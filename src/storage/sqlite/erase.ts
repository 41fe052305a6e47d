import type { DatabaseSync } from "node:sqlite"
import { sql, sqlList } from "../sql.ts"
import type { Transaction } from "../transaction.ts"

/** Deletes the exact vectors of memories and overwrites their codes in the chunks. */
export async function eraseVectors(transaction: Transaction, ids: readonly string[]): Promise<void> {
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
    // An edited memory may also have codes in an older slot.
    const slots = [...seqs.keys()].filter((slot) => gone.has(seqs[slot] ?? 0))
    if (slots.length === 0) continue
    for (const slot of slots) seqs[slot] = -1
    const { codes, scales } = await blankSlots(transaction, { model, chunk, dimensions }, slots)
    await transaction.run(sql`
      update vector_chunks set changed = ${changes + 1}, seqs = ${new Uint8Array(seqs.buffer)},
        codes = ${codes}, scales = ${scales}
      where model = ${model} and chunk = ${chunk}`)
    hasChanged = true
  }
  if (!hasChanged) return
  await transaction.run(sql`update vector_models set changes = ${changes + 1} where model = ${model}`)
}

/** A chunk's codes and scales with these slots zeroed. */
async function blankSlots(
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

/** Rewrites the file without deleted data: the full-text index keeps deleted words, free pages keep deleted rows. */
export function vacuumFile(connection: DatabaseSync): void {
  connection.exec("insert into memory_text (memory_text) values ('optimize')")
  connection.exec("vacuum")
}

/** Checkpoints and truncates the log; false while another connection still reads from it. */
export function truncateLog(connection: DatabaseSync): boolean {
  return connection.prepare("pragma wal_checkpoint(truncate)").get()?.busy === 0
}
