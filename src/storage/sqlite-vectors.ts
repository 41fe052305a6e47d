import { createLock } from "../base/lock.ts"
import { type Found, type NewVector, requireDimensions, type SearchIndex } from "./search.ts"
import { type Sql, sql, sqlList, sqlRows } from "./sql.ts"
import type { Reader, Transaction } from "./transaction.ts"
import { bestOf, openScan, quantize, type Scan } from "./vector-scan.ts"

/** How many vectors share one row of bytes: few enough to rewrite cheaply, many enough to read quickly. */
const chunkSize = 64
/** The best of a scan are looked at again with the exact vectors: the bytes are only nearly right. */
const spareShare = 0.2
const fewestSpare = 40
/** The first scan takes this many times what is wanted, since some may not be shown to the asker. */
const firstShare = 4
/** More than this are not asked about one by one: then it is quicker to find out all that may be shown. */
const mostAsked = 8000

interface ModelRow {
  dimensions: number
  slots: number
  changes: number
}

interface ChunkRow {
  chunk: number
  seqs: Uint8Array
  codes: Uint8Array
  scales: Uint8Array
}

/** One model's vectors in memory, as of a number of changes; newer chunks are read when they are needed. */
interface Loaded {
  scan: Scan
  /** The memory in each slot. */
  seqs: number[]
  changes: number
}

/**
 * Nearest vectors in SQLite: the exact vectors in one table, and beside them the same as single bytes in chunks
 * that are scanned in memory. Exact results come from comparing the best of the scan again.
 */
export function createSqliteVectors(
  reader: Reader,
): Pick<SearchIndex, "nearest" | "cosines" | "vectorsOf" | "saveVectors"> {
  const models = new Map<string, Loaded>()
  const lock = createLock()

  return {
    saveVectors,
    async vectorsOf({ model, where, after, limit }) {
      const rows = await reader.read<{ id: string; seq: number; vector: Uint8Array }>(sql`
        select m.id as id, v.seq as seq, v.vector as vector from vectors v join memories m on m.seq = v.seq
        where v.model = ${model} and v.seq > ${after} and ${where} order by v.seq limit ${limit}`)
      return rows.map((row) => ({ ...row, vector: asFloat32(row.vector) }))
    },
    cosines: ({ model, vector, seqs }) => cosinesOf(reader, model, seqs, vector),
    async nearest({ model, vector, where, limit }) {
      const loaded = await lock.run(() => refresh(reader, models, model, vector))
      if (loaded === undefined) return []
      const compared = limit + Math.max(fewestSpare, Math.ceil(limit * spareShare))
      const shown = await nearestShown(reader, loaded, { vector, where, compared })
      const found = await rankExactly(reader, model, shown, vector)
      if (found.length >= limit || found.length === shown.length) return found.slice(0, limit)
      // Some have lost their vectors since they were scanned: others may stand in for them.
      const kept = sql`exists (select 1 from vectors v where v.model = ${model} and v.seq = m.seq) and ${where}`
      const others = await nearestShown(reader, loaded, { vector, where: kept, compared })
      return (await rankExactly(reader, model, others, vector)).slice(0, limit)
    },
  }
}

/** A memory that may be shown. */
interface Shown {
  seq: number
  id: string
}

interface Wanted {
  vector: Float32Array
  where: Sql
  /** How many are compared exactly afterwards. */
  compared: number
}

/** The memories nearest by their bytes among those that fulfil the condition. */
async function nearestShown(reader: Reader, loaded: Loaded, wanted: Wanted): Promise<Shown[]> {
  const { vector, where, compared } = wanted
  const scores = loaded.scan.scores(vector)
  let count = compared * firstShare
  while (count <= mostAsked) {
    const seqs = seqsOf(loaded, bestOf(scores, count))
    const shown = await allowedAmong(reader, seqs, where)
    if (shown.length >= compared || seqs.length < count) return shown.slice(0, compared)
    // As many as it takes if the next ones are as seldom shown as these, and some more.
    count = Math.max(count * 2, Math.ceil((count * compared * 1.5) / Math.max(1, shown.length)))
  }
  // Few fulfil the condition: find out which, and look only at those.
  const rows = await reader.read<Shown>(sql`select m.seq as seq, m.id as id from memories m where ${where}`)
  const allowed = new Map(rows.map((row) => [row.seq, row]))
  const hits = bestOf(scores, compared, (slot) => allowed.has(loaded.seqs[slot] ?? -1))
  return seqsOf(loaded, hits).flatMap((seq) => allowed.get(seq) ?? [])
}

function seqsOf(loaded: Loaded, hits: readonly { slot: number }[]): number[] {
  return hits.map(({ slot }) => loaded.seqs[slot] ?? -1)
}

/** Those of these memories that fulfil the condition, in the same order. */
async function allowedAmong(reader: Reader, seqs: readonly number[], where: Sql): Promise<Shown[]> {
  const rows = await reader.read<Shown>(sql`
    select m.seq as seq, m.id as id from memories m
    where m.seq in (select value from json_each(${JSON.stringify(seqs)})) and ${where}`)
  const shown = new Map(rows.map((row) => [row.seq, row]))
  return seqs.flatMap((seq) => shown.get(seq) ?? [])
}

/** Brings the vectors in memory up to date; undefined if the model has none. */
async function refresh(
  reader: Reader,
  models: Map<string, Loaded>,
  model: string,
  vector: Float32Array,
): Promise<Loaded | undefined> {
  const row = await modelRow(reader, model)
  if (row === undefined) return undefined
  requireDimensions(model, row.dimensions, vector)
  const loaded = models.get(model) ?? { scan: openScan(row.dimensions), seqs: [], changes: 0 }
  models.set(model, loaded)
  if (loaded.changes === row.changes) return loaded
  const chunks = await reader.read<ChunkRow>(sql`
    select chunk, seqs, codes, scales from vector_chunks
    where model = ${model} and changed > ${loaded.changes} and changed <= ${row.changes}`)
  for (const chunk of chunks) loadChunk(loaded, chunk)
  loaded.changes = row.changes
  return loaded
}

function loadChunk(loaded: Loaded, { chunk, seqs, codes, scales }: ChunkRow): void {
  const first = chunk * chunkSize
  const numbers = asFloat64(seqs)
  loaded.scan.putMany(
    first,
    new Int8Array(codes.buffer, codes.byteOffset, codes.byteLength),
    asFloat32(scales),
  )
  numbers.forEach((seq, index) => {
    loaded.seqs[first + index] = seq
  })
}

/** Compares memories by their exact vectors, nearest first. */
async function rankExactly(
  reader: Reader,
  model: string,
  shown: readonly Shown[],
  query: Float32Array,
): Promise<Found[]> {
  const seqs = shown.map(({ seq }) => seq)
  const cosines = await cosinesOf(reader, model, seqs, query)
  const found = shown.flatMap(({ seq, id }) => {
    const score = cosines.get(seq)
    return score === undefined ? [] : [{ id, score }]
  })
  return found.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}

async function cosinesOf(
  reader: Reader,
  model: string,
  seqs: readonly number[],
  query: Float32Array,
): Promise<Map<number, number>> {
  const rows = await reader.read<{ seq: number; vector: Uint8Array }>(sql`
    select seq, vector from vectors
    where model = ${model} and seq in (select value from json_each(${JSON.stringify(seqs)}))`)
  return new Map(rows.map(({ seq, vector }) => [seq, dot(asFloat32(vector), query)]))
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let index = 0; index < a.length; index += 1) sum += (a[index] ?? 0) * (b[index] ?? 0)
  return sum
}

async function saveVectors(
  transaction: Transaction,
  model: string,
  vectors: readonly NewVector[],
): Promise<void> {
  const [first] = vectors
  if (first === undefined) return
  const known = await modelRow(transaction, model)
  const row = known ?? { dimensions: first.vector.length, slots: 0, changes: 0 }
  for (const { vector } of vectors) requireDimensions(model, row.dimensions, vector)
  const places = await placesOf(transaction, model, vectors, row.slots)
  const changes = row.changes + 1
  const slots = Math.max(row.slots, ...places.map(({ slot }) => slot + 1))
  await transaction.run(sql`
    insert into vector_models (model, dimensions, slots, changes)
    values (${model}, ${row.dimensions}, ${slots}, ${changes})
    on conflict (model) do update set slots = excluded.slots, changes = excluded.changes`)
  await transaction.run(sql`
    insert into vectors (model, seq, slot, vector)
    values ${sqlRows(places.map(({ seq, slot, vector }) => [model, seq, slot, asBytes(vector)]))}
    on conflict (model, seq) do update set vector = excluded.vector`)
  const chunks = Map.groupBy(places, ({ slot }) => Math.floor(slot / chunkSize))
  for (const [chunk, members] of chunks) await saveCodes(transaction, model, chunk, members, changes)
}

/** A vector and where it goes. */
interface Place {
  seq: number
  slot: number
  vector: Float32Array
}

/** A memory keeps its slot; new ones get the next free ones. */
async function placesOf(
  transaction: Transaction,
  model: string,
  vectors: readonly NewVector[],
  nextSlot: number,
): Promise<Place[]> {
  const ids = vectors.map(({ id }) => id)
  const rows = await transaction.read<{ id: string; seq: number; slot: number | null }>(sql`
    select m.id as id, m.seq as seq, v.slot as slot from memories m
    left join vectors v on v.seq = m.seq and v.model = ${model} where m.id in ${sqlList(ids)}`)
  const known = new Map(rows.map((row) => [row.id, row]))
  let free = nextSlot
  return vectors.map(({ id, vector }) => {
    const place = known.get(id)
    if (place === undefined) throw new Error(`there is no memory ${id} to give a vector to`)
    place.slot ??= free++
    return { seq: place.seq, slot: place.slot, vector }
  })
}

/** Writes vectors' bytes into their chunk. */
async function saveCodes(
  transaction: Transaction,
  model: string,
  chunk: number,
  members: readonly Place[],
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

async function modelRow(reader: Reader, model: string): Promise<ModelRow | undefined> {
  const [row] = await reader.read<ModelRow>(
    sql`select dimensions, slots, changes from vector_models where model = ${model}`,
  )
  return row
}

function asBytes(array: Float32Array | Float64Array | Int8Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}

/** Bytes from the database as numbers; copied where they do not begin at a multiple of four. */
function asFloat32(bytes: Uint8Array): Float32Array {
  return bytes.byteOffset % 4 === 0
    ? new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
    : new Float32Array(bytes.slice().buffer)
}

function asFloat64(bytes: Uint8Array): Float64Array {
  return new Float64Array(bytes.slice().buffer)
}
