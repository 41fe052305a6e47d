import { createLock } from "../../base/lock.ts"
import { dot } from "../../base/vector.ts"
import { type Found, requireDimensions, type SearchIndex } from "../search.ts"
import { type Sql, sql } from "../sql.ts"
import type { Reader } from "../transaction.ts"
import { asFloat32, asFloat64, type ChunkRow, chunkSize, modelRow, saveVectors } from "./vector-chunks.ts"
import { bestOf, openScan, type Scan } from "./vector-scan.ts"

/** How many more hits of a scan are compared exactly than requested: a share, and a minimum. */
const spareShare = 0.2
const fewestSpare = 40
/** The first scan returns this many times the requested hits, because the condition may exclude some. */
const firstShare = 4
/** From this many vectors on, the allowed memories are read once for all of them. */
const fewestTogether = 4
/** Quantised scores differ from exact ones by less than this. */
const scanError = 0.03
/** With more candidates than this, reading all allowed memories is faster than checking the candidates. */
const mostCandidates = 8000

/** One model's vectors in memory, as of a number of changes; newer chunks are read on demand. */
interface LoadedModel {
  scan: Scan
  /** The memory's `seq` in each slot. */
  seqs: number[]
  changes: number
  /** The slot of each memory, filled on first use. */
  slots?: Map<number, number>
  /** A scan of the allowed vectors only, reused for many queries. */
  part?: Scan
}

/**
 * Nearest vectors in SQLite. One table has the exact vectors, another the quantised ones in chunks, which are scanned in
 * memory. The best hits of the scan are then compared exactly.
 */
export function createSqliteVectors(
  reader: Reader,
): Pick<SearchIndex, "nearest" | "nearestEach" | "cosines" | "vectorsOf" | "saveVectors"> {
  const models = new Map<string, LoadedModel>()
  const lock = createLock()
  const load = (model: string, vector: Float32Array) => lock.run(() => refresh(reader, models, model, vector))

  async function nearest(
    { model, vector, where, limit }: Parameters<SearchIndex["nearest"]>[0],
    above = Number.NEGATIVE_INFINITY,
  ) {
    const loaded = await load(model, vector)
    if (loaded === undefined) return []
    const compared = comparedFor(limit)
    // An edited memory may also be in an older slot.
    const rank = async (seqs: readonly number[]) =>
      ranked([...new Set(seqs)], await exactVectors(reader, model, seqs), vector)
    const shown = await nearestAllowed(reader, loaded, { vector, where, compared, above })
    const found = await rank(shown)
    if (found.length >= limit || found.length === shown.length) return found.slice(0, limit)
    // Some vectors were deleted since the scan was loaded: search again without them.
    const kept = sql`exists (select 1 from vectors v where v.model = ${model} and v.seq = m.seq) and ${where}`
    const others = await nearestAllowed(reader, loaded, { vector, where: kept, compared, above })
    return (await rank(others)).slice(0, limit)
  }

  return {
    saveVectors,
    nearest: (search) => nearest(search),
    async nearestEach({ model, vectors, where, limit, least }) {
      const above = least - scanError
      const alone = async (vector: Float32Array) =>
        (await nearest({ model, vector, where, limit }, above)).filter(({ score }) => score >= least)
      const [first] = vectors
      const loaded = first && (await load(model, first))
      if (first === undefined || loaded === undefined) return vectors.map(() => [])
      if (vectors.length < fewestTogether) return mapInSequence(vectors, alone)
      for (const vector of vectors) requireDimensions(model, first.length, vector)
      const allowed = await allAllowed(reader, where)
      const near = scanFor(loaded, allowed, vectors, { count: comparedFor(limit), above })
      const exact = await exactVectors(reader, model, [...new Set(near.flat())])
      return mapInSequence(vectors, async (vector, index) => {
        const seqs = near[index] ?? []
        const found = ranked(seqs, exact, vector).slice(0, limit)
        const isShort = found.length < limit && seqs.some((seq) => !exact.has(seq))
        return isShort ? alone(vector) : found.filter(({ score }) => score >= least)
      })
    },
    async vectorsOf({ model, where, after, limit }) {
      const rows = await reader.read<{ id: string; seq: number; vector: Uint8Array }>(sql`
        select m.id as id, v.seq as seq, v.vector as vector from vectors v join memories m on m.seq = v.seq
        where v.model = ${model} and v.seq > ${after} and ${where} order by v.seq limit ${limit}`)
      return rows.map((row) => ({ ...row, vector: asFloat32(row.vector) }))
    },
    async cosines({ model, vector, seqs }) {
      const loaded = await load(model, vector)
      if (loaded === undefined) return new Map()
      const slots = slotsOf(loaded, seqs)
      const scores = loaded.scan.scoresOf(vector, slots)
      const known = slots.map(
        (slot, index) => [loaded.seqs[slot] ?? -1, scores[index] ?? Number.NaN] as const,
      )
      return new Map(known.filter(([, score]) => !Number.isNaN(score)))
    },
  }
}

/** How many hits are compared exactly for this limit. */
function comparedFor(limit: number): number {
  return limit + Math.max(fewestSpare, Math.ceil(limit * spareShare))
}

async function mapInSequence<T, R>(
  all: readonly T[],
  work: (one: T, index: number) => Promise<R>,
): Promise<R[]> {
  const done: R[] = []
  for (const [index, one] of all.entries()) done.push(await work(one, index))
  return done
}

/** The nearest allowed memories to each vector, by the scan. */
function scanFor(
  loaded: LoadedModel,
  allowed: readonly number[],
  vectors: readonly Float32Array[],
  { count, above }: { count: number; above: number },
): number[][] {
  const slots = slotsOf(loaded, allowed)
  if (slots.length * 2 > loaded.scan.size) {
    const isAllowed = new Set(slots)
    return vectors.map((vector) => {
      const hits = bestOf(loaded.scan.scores(vector), count, (slot) => isAllowed.has(slot), above)
      return seqsOf(loaded, hits)
    })
  }
  const { codes, scales } = loaded.scan.rowsOf(slots)
  loaded.part ??= openScan(vectors[0]?.length ?? 0)
  const { part } = loaded
  part.clear()
  part.putMany(0, codes, scales)
  return vectors.map((vector) =>
    bestOf(part.scores(vector), count, undefined, above).map(({ slot }) => allowedSeq(loaded, slots, slot)),
  )
}

function allowedSeq(loaded: LoadedModel, slots: readonly number[], index: number): number {
  return loaded.seqs[slots[index] ?? -1] ?? -1
}

/** The `seq` of all memories that match a condition, read as one JSON text because that is much faster than rows. */
async function allAllowed(reader: Reader, where: Sql): Promise<number[]> {
  const [row] = await reader.read<{ seqs: string }>(
    sql`select json_group_array(m.seq) as seqs from memories m where ${where}`,
  )
  return JSON.parse(row?.seqs ?? "[]")
}

/** The slots of those memories that have a vector. */
function slotsOf(loaded: LoadedModel, seqs: readonly number[]): number[] {
  loaded.slots ??= new Map(loaded.seqs.map((seq, slot) => [seq, slot]))
  const slots: number[] = []
  for (const seq of seqs) {
    const slot = loaded.slots.get(seq)
    if (slot !== undefined && loaded.seqs[slot] === seq) slots.push(slot)
  }
  return slots
}

interface ExactVector {
  id: string
  vector: Float32Array
}

/** How many exact vectors are read at a time. */
const exactAtOnce = 2000

async function exactVectors(
  reader: Reader,
  model: string,
  seqs: readonly number[],
): Promise<Map<number, ExactVector>> {
  const exact = new Map<number, ExactVector>()
  for (let from = 0; from < seqs.length; from += exactAtOnce) {
    const some = JSON.stringify(seqs.slice(from, from + exactAtOnce))
    const rows = await reader.read<{ seq: number; id: string; vector: Uint8Array }>(sql`
      select v.seq as seq, m.id as id, v.vector as vector from vectors v join memories m on m.seq = v.seq
      where v.model = ${model} and v.seq in (select value from json_each(${some}))`)
    for (const { seq, id, vector } of rows) exact.set(seq, { id, vector: asFloat32(vector) })
  }
  return exact
}

interface NearestQuery {
  vector: Float32Array
  where: Sql
  /** The number of hits to return for the exact comparison. */
  compared: number
  /** Only hits with a greater score. */
  above: number
}

/** The nearest memories that match the condition, by the scan. */
async function nearestAllowed(
  reader: Reader,
  loaded: LoadedModel,
  { vector, where, compared, above }: NearestQuery,
): Promise<number[]> {
  const scores = loaded.scan.scores(vector)
  let count = compared * firstShare
  while (count <= mostCandidates) {
    const seqs = seqsOf(loaded, bestOf(scores, count, undefined, above))
    const shown = await allowedAmong(reader, seqs, where)
    if (shown.length >= compared || seqs.length < count) return shown.slice(0, compared)
    // Extrapolate from the share of allowed memories so far, and add half.
    count = Math.max(count * 2, Math.ceil((count * compared * 1.5) / Math.max(1, shown.length)))
  }
  // Few memories match the condition: read all of them, and consider only those.
  const allowed = new Set(await allAllowed(reader, where))
  const hits = bestOf(scores, compared, (slot) => allowed.has(loaded.seqs[slot] ?? -1), above)
  return seqsOf(loaded, hits)
}

function seqsOf(loaded: LoadedModel, hits: readonly { slot: number }[]): number[] {
  return hits.map(({ slot }) => loaded.seqs[slot] ?? -1)
}

/** Those of these memories that match the condition, in the same order. */
async function allowedAmong(reader: Reader, seqs: readonly number[], where: Sql): Promise<number[]> {
  const among = sql`m.seq in (select value from json_each(${JSON.stringify(seqs)}))`
  const allowed = new Set(await allAllowed(reader, sql`${among} and ${where}`))
  return seqs.filter((seq) => allowed.has(seq))
}

/** Loads new chunks into memory; undefined if the model has no vectors. */
async function refresh(
  reader: Reader,
  models: Map<string, LoadedModel>,
  model: string,
  vector: Float32Array,
): Promise<LoadedModel | undefined> {
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

function loadChunk(loaded: LoadedModel, { chunk, seqs, codes, scales }: ChunkRow): void {
  const first = chunk * chunkSize
  const numbers = asFloat64(seqs)
  loaded.scan.putMany(
    first,
    new Int8Array(codes.buffer, codes.byteOffset, codes.byteLength),
    asFloat32(scales),
  )
  numbers.forEach((seq, index) => {
    loaded.seqs[first + index] = seq
    loaded.slots?.set(seq, first + index)
  })
}

/** Sorts memories by their exact cosines, nearest first. */
function ranked(
  seqs: readonly number[],
  exact: ReadonlyMap<number, ExactVector>,
  query: Float32Array,
): Found[] {
  const found = seqs.flatMap((seq) => {
    const one = exact.get(seq)
    return one ? [{ id: one.id, score: dot(one.vector, query) }] : []
  })
  return found.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}
