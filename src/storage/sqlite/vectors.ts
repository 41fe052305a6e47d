import { createLock } from "../../base/lock.ts"
import { dot } from "../../base/vector.ts"
import { type Found, requireDimensions, type SearchIndex } from "../search.ts"
import { type Sql, sql } from "../sql.ts"
import type { Reader } from "../transaction.ts"
import { asFloat32, asFloat64, type ChunkRow, chunkSize, modelRow, saveVectors } from "./vector-chunks.ts"
import { bestOf, openScan, type Scan } from "./vector-scan.ts"

/** The best of a scan are looked at again with the exact vectors: the bytes are only nearly right. */
const spareShare = 0.2
const fewestSpare = 40
/** The first scan takes this many times what is wanted, since some may not be shown to the asker. */
const firstShare = 4
/** From so many on, what may be shown is found out once for all of them. */
const fewestTogether = 4
/** Scores of bytes are off by less than this. */
const scanError = 0.03
/** More than this are not asked about one by one: then it is quicker to find out all that may be shown. */
const mostAsked = 8000

/** One model's vectors in memory, as of a number of changes; newer chunks are read when they are needed. */
interface Loaded {
  scan: Scan
  /** The memory in each slot. */
  seqs: number[]
  changes: number
  /** The slot of each memory, once many are asked for at a time. */
  slots?: Map<number, number>
  /** Some of the vectors back to back, to be scanned for many. */
  part?: Scan
}

/**
 * Nearest vectors in SQLite: the exact vectors in one table, and beside them the same as single bytes in chunks
 * that are scanned in memory. Exact results come from comparing the best of the scan again.
 */
export function createSqliteVectors(
  reader: Reader,
): Pick<SearchIndex, "nearest" | "nearestEach" | "cosines" | "vectorsOf" | "saveVectors"> {
  const models = new Map<string, Loaded>()
  const lock = createLock()
  const load = (model: string, vector: Float32Array) => lock.run(() => refresh(reader, models, model, vector))

  async function nearest(
    { model, vector, where, limit }: Parameters<SearchIndex["nearest"]>[0],
    above = Number.NEGATIVE_INFINITY,
  ) {
    const loaded = await load(model, vector)
    if (loaded === undefined) return []
    const compared = comparedFor(limit)
    const shown = await nearestShown(reader, loaded, { vector, where, compared, above })
    const found = await rankExactly(reader, model, shown, vector)
    if (found.length >= limit || found.length === shown.length) return found.slice(0, limit)
    // Some have lost their vectors since they were scanned: others may stand in for them.
    const kept = sql`exists (select 1 from vectors v where v.model = ${model} and v.seq = m.seq) and ${where}`
    const others = await nearestShown(reader, loaded, { vector, where: kept, compared, above })
    return (await rankExactly(reader, model, others, vector)).slice(0, limit)
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
      if (vectors.length < fewestTogether) return inTurn(vectors, alone)
      for (const vector of vectors) requireDimensions(model, first.length, vector)
      const allowed = await allAllowed(reader, where)
      const near = scanFor(loaded, allowed, vectors, { count: comparedFor(limit), above })
      const exact = await exactVectors(reader, model, [...new Set(near.flat())])
      return inTurn(vectors, async (vector, index) => {
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

/** How many are compared exactly to give so many. */
function comparedFor(limit: number): number {
  return limit + Math.max(fewestSpare, Math.ceil(limit * spareShare))
}

async function inTurn<T, R>(all: readonly T[], work: (one: T, index: number) => Promise<R>): Promise<R[]> {
  const done: R[] = []
  for (const [index, one] of all.entries()) done.push(await work(one, index))
  return done
}

/** The memories among the allowed ones that the scan finds nearest to each vector. */
function scanFor(
  loaded: Loaded,
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

function allowedSeq(loaded: Loaded, slots: readonly number[], index: number): number {
  return loaded.seqs[slots[index] ?? -1] ?? -1
}

/** The numbers of all memories that fulfil a condition; as one text they are read much faster than as rows. */
async function allAllowed(reader: Reader, where: Sql): Promise<number[]> {
  const [row] = await reader.read<{ seqs: string }>(
    sql`select json_group_array(m.seq) as seqs from memories m where ${where}`,
  )
  return JSON.parse(row?.seqs ?? "[]")
}

/** Where the vectors of memories stand, of those that have one. */
function slotsOf(loaded: Loaded, seqs: readonly number[]): number[] {
  loaded.slots ??= new Map(loaded.seqs.map((seq, slot) => [seq, slot]))
  const slots: number[] = []
  for (const seq of seqs) {
    const slot = loaded.slots.get(seq)
    if (slot !== undefined && loaded.seqs[slot] === seq) slots.push(slot)
  }
  return slots
}

interface Exact {
  id: string
  vector: Float32Array
}

/** How many exact vectors are read at a time. */
const exactAtOnce = 2000

async function exactVectors(
  reader: Reader,
  model: string,
  seqs: readonly number[],
): Promise<Map<number, Exact>> {
  const exact = new Map<number, Exact>()
  for (let from = 0; from < seqs.length; from += exactAtOnce) {
    const some = JSON.stringify(seqs.slice(from, from + exactAtOnce))
    const rows = await reader.read<{ seq: number; id: string; vector: Uint8Array }>(sql`
      select v.seq as seq, m.id as id, v.vector as vector from vectors v join memories m on m.seq = v.seq
      where v.model = ${model} and v.seq in (select value from json_each(${some}))`)
    for (const { seq, id, vector } of rows) exact.set(seq, { id, vector: asFloat32(vector) })
  }
  return exact
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
  /** What scores no more than this is not looked at. */
  above: number
}

/** The memories nearest by their bytes among those that fulfil the condition. */
async function nearestShown(reader: Reader, loaded: Loaded, wanted: Wanted): Promise<Shown[]> {
  const { vector, where, compared, above } = wanted
  const scores = loaded.scan.scores(vector)
  let count = compared * firstShare
  while (count <= mostAsked) {
    const seqs = seqsOf(loaded, bestOf(scores, count, undefined, above))
    const shown = await allowedAmong(reader, seqs, where)
    if (shown.length >= compared || seqs.length < count) return shown.slice(0, compared)
    // As many as it takes if the next ones are as seldom shown as these, and some more.
    count = Math.max(count * 2, Math.ceil((count * compared * 1.5) / Math.max(1, shown.length)))
  }
  // Few fulfil the condition: find out which, and look only at those.
  const rows = await reader.read<Shown>(sql`select m.seq as seq, m.id as id from memories m where ${where}`)
  const allowed = new Map(rows.map((row) => [row.seq, row]))
  const hits = bestOf(scores, compared, (slot) => allowed.has(loaded.seqs[slot] ?? -1), above)
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
    loaded.slots?.set(seq, first + index)
  })
}

/** Compares memories by their exact vectors, nearest first. */
async function rankExactly(
  reader: Reader,
  model: string,
  shown: readonly Shown[],
  query: Float32Array,
): Promise<Found[]> {
  const rows = await reader.read<{ seq: number; vector: Uint8Array }>(sql`
    select seq, vector from vectors
    where model = ${model} and seq in (select value from json_each(${JSON.stringify(shown.map(({ seq }) => seq))}))`)
  const ids = new Map(shown.map(({ seq, id }) => [seq, id]))
  const exact = new Map(
    rows.map(({ seq, vector }) => [seq, { id: ids.get(seq) ?? "", vector: asFloat32(vector) }]),
  )
  return ranked([...ids.keys()], exact, query)
}

function ranked(seqs: readonly number[], exact: ReadonlyMap<number, Exact>, query: Float32Array): Found[] {
  const found = seqs.flatMap((seq) => {
    const one = exact.get(seq)
    return one ? [{ id: one.id, score: dot(one.vector, query) }] : []
  })
  return found.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}
