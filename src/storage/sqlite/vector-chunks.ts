import { type NewVector, requireDimensions } from "../search.ts"
import { sql, sqlList, sqlRows } from "../sql.ts"
import type { Reader, Transaction } from "../transaction.ts"
import { quantize } from "./vector-scan.ts"

/** The number of vectors in one chunk: few enough to rewrite cheaply, many enough to read fast. */
export const chunkSize = 64

interface ModelRow {
  dimensions: number
  slots: number
  changes: number
}

/** A row of quantised vectors. */
export interface ChunkRow {
  chunk: number
  seqs: Uint8Array
  codes: Uint8Array
  scales: Uint8Array
}

/** Saves exact vectors, and their codes in the chunks that scans read. */
export async function saveVectors(
  transaction: Transaction,
  model: string,
  vectors: readonly NewVector[],
): Promise<void> {
  const [first] = vectors
  if (first === undefined) return
  const known = await modelRow(transaction, model)
  const row = known ?? { dimensions: first.vector.length, slots: 0, changes: 0 }
  for (const { vector } of vectors) requireDimensions(model, row.dimensions, vector)
  const slotted = await withSlots(transaction, model, vectors, row.slots)
  const changes = row.changes + 1
  const slots = Math.max(row.slots, ...slotted.map(({ slot }) => slot + 1))
  await transaction.run(sql`
    insert into vector_models (model, dimensions, slots, changes)
    values (${model}, ${row.dimensions}, ${slots}, ${changes})
    on conflict (model) do update set slots = excluded.slots, changes = excluded.changes`)
  await transaction.run(sql`
    insert into vectors (model, seq, slot, vector)
    values ${sqlRows(slotted.map(({ seq, slot, vector }) => [model, seq, slot, asBytes(vector)]))}
    on conflict (model, seq) do update set vector = excluded.vector`)
  const chunks = Map.groupBy(slotted, ({ slot }) => Math.floor(slot / chunkSize))
  for (const [chunk, members] of chunks) await saveCodes(transaction, model, chunk, members, changes)
}

interface SlottedVector {
  seq: number
  slot: number
  vector: Float32Array
}

/** Assigns slots: a memory keeps its slot, new ones get the next free ones. */
async function withSlots(
  transaction: Transaction,
  model: string,
  vectors: readonly NewVector[],
  nextSlot: number,
): Promise<SlottedVector[]> {
  const ids = vectors.map(({ id }) => id)
  const rows = await transaction.read<{ id: string; seq: number; slot: number | null }>(sql`
    select m.id as id, m.seq as seq, v.slot as slot from memories m
    left join vectors v on v.seq = m.seq and v.model = ${model} where m.id in ${sqlList(ids)}`)
  const known = new Map(rows.map((row) => [row.id, row]))
  let free = nextSlot
  return vectors.map(({ id, vector }) => {
    const row = known.get(id)
    if (row === undefined) throw new Error(`there is no memory ${id} to give a vector to`)
    row.slot ??= free++
    return { seq: row.seq, slot: row.slot, vector }
  })
}

/** Writes the codes of vectors into their chunk. */
async function saveCodes(
  transaction: Transaction,
  model: string,
  chunk: number,
  members: readonly SlottedVector[],
  changes: number,
): Promise<void> {
  const [row] = await transaction.read<ChunkRow>(sql`
    select chunk, seqs, codes, scales from vector_chunks where model = ${model} and chunk = ${chunk}`)
  const highest = Math.max(...members.map(({ slot }) => slot % chunkSize))
  const size = Math.max(highest + 1, (row?.scales.byteLength ?? 0) / 4)
  const dimensions = members[0]?.vector.length ?? 0
  const seqs = extended(row ? asFloat64(row.seqs) : undefined, new Float64Array(size))
  const scales = extended(row ? asFloat32(row.scales) : undefined, new Float32Array(size))
  const bytes = extended(row?.codes, new Uint8Array(size * dimensions))
  for (const { seq, slot, vector } of members) {
    const index = slot % chunkSize
    const { codes, scale } = quantize(vector)
    seqs[index] = seq
    scales[index] = scale
    bytes.set(asBytes(codes), index * dimensions)
  }
  await transaction.run(sql`
    insert into vector_chunks (model, chunk, changed, seqs, codes, scales)
    values (${model}, ${chunk}, ${changes}, ${asBytes(seqs)}, ${bytes}, ${asBytes(scales)})
    on conflict (model, chunk) do update set changed = excluded.changed,
      seqs = excluded.seqs, codes = excluded.codes, scales = excluded.scales`)
}

function extended<T extends Uint8Array | Float32Array | Float64Array>(old: T | undefined, target: T): T {
  if (old) target.set(old)
  return target
}

/** A model's row; undefined if it has no vectors. */
export async function modelRow(reader: Reader, model: string): Promise<ModelRow | undefined> {
  const [row] = await reader.read<ModelRow>(
    sql`select dimensions, slots, changes from vector_models where model = ${model}`,
  )
  return row
}

function asBytes(array: Float32Array | Float64Array | Int8Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}

/** Bytes of the database as floats; copied if they are not aligned. */
export function asFloat32(bytes: Uint8Array): Float32Array {
  return bytes.byteOffset % 4 === 0
    ? new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
    : new Float32Array(bytes.slice().buffer)
}

/** Bytes of the database as doubles. */
export function asFloat64(bytes: Uint8Array): Float64Array {
  return new Float64Array(bytes.slice().buffer)
}
