import { yieldToEventLoop } from "../../../base/clock.ts"
import type { Database } from "../../../storage/database.ts"
import { sql, sqlList } from "../../../storage/sql.ts"
import type { Memory } from "../../model/memory.ts"
import type { MemoryCore } from "../../model/memory-core.ts"
import { batchesOf } from "../../model/store/batch.ts"
import { selectMemories } from "../../model/store/store.ts"
import { type ComparableText, comparableText } from "../../model/words/comparable-text.ts"
import { findSimilarTo, similarTo } from "../../write/compare/similar-memories.ts"
import { type GardenScope, loadScope, type ScopeRow } from "../garden-scope.ts"
import type { NewLink } from "../merge-and-link.ts"
import type { Judge, Verdict } from "../verdicts.ts"
import { type Candidates, createCandidateFinder, type Levels } from "./candidates.ts"

/** The verdicts on some memories, and the `seq` of the last of them. */
export interface Chunk {
  last: number
  verdicts: Verdict[]
  /** Links between related memories. */
  linked: NewLink[]
}

interface Task {
  scope: GardenScope
  /** The `seq` of the memories to compare with the rest; undefined for all. */
  changed: readonly number[] | undefined
  /** Memories up to this `seq` are done. */
  after: number
  judge: Judge
}

/** In a large scope, up to this many changed memories are compared one by one, as `remember` does, without loading it. */
const fewChanged = 100
const smallScope = 1000

/** Judges a scope's memories in the order of their `seq`, in chunks. Ends early when the signal aborts. */
export function chunksOf(needs: MemoryCore, task: Task, signal: AbortSignal): AsyncGenerator<Chunk> {
  const { changed, scope } = task
  return changed && changed.length <= fewChanged && scope.size > smallScope
    ? oneByOne(needs, { ...task, changed }, signal)
    : allTogether(needs, task, signal)
}

async function* oneByOne(
  { db, embedder }: MemoryCore,
  { scope, changed, after, judge }: Task & { changed: readonly number[] },
  signal: AbortSignal,
): AsyncGenerator<Chunk> {
  const model = embedder && { name: embedder.model, related: embedder.similarity.related }
  const rest = changed.filter((seq) => seq > after)
  const where = sql`m.seq in ${sqlList(rest)} and ${scope.where}`
  const page = { where, after: 0, limit: rest.length }
  const vectors = model && rest.length > 0 ? await db.search.vectorsOf({ model: model.name, ...page }) : []
  const memories = new Map((await selectMemories(db, where)).map((memory) => [memory.id, memory]))
  const numbers = await db.read<{ id: string; seq: number }>(
    sql`select m.id as id, m.seq as seq from memories m where ${where} order by m.seq`,
  )
  for (const { id, seq } of numbers) {
    if (signal.aborted) return
    const memory = memories.get(id)
    if (memory === undefined || !judge.isCurrent(id)) continue
    const vector = vectors.find((one) => one.id === id)?.vector
    const similar = await findSimilarTo({ db, model }, { memory, vector })
    const others = similar.filter((one) => one.memory.id !== id && one.memory.status === "active")
    yield { last: seq, verdicts: judge.judge(memory, others), linked: [] }
    await yieldToEventLoop()
  }
}

const chunkSize = 256
/** Other work gets its turn after this many memories. */
const inTurn = 16

async function* allTogether(needs: MemoryCore, task: Task, signal: AbortSignal): AsyncGenerator<Chunk> {
  const { db, embedder } = needs
  const { changed, after, judge } = task
  const loaded = await loadScope(db, task.scope, embedder?.model, signal)
  const { rows } = loaded
  const find = createCandidateFinder(loaded, levelsOf(embedder))
  const isChanged = changed && new Set(changed)
  const isAsked = (row: number) => isChanged === undefined || isChanged.has(rows[row]?.seq ?? 0)
  const asked = rows.flatMap(({ seq }, row) => (seq > after && isAsked(row) ? [row] : []))
  for (const chunk of batchesOf(asked, chunkSize)) {
    const found: Found[] = []
    for (const row of chunk) {
      // A pair of two asked rows is compared once, by the later one.
      const isOurs = (other: number) =>
        judge.isCurrent(rows[other]?.id ?? "") && (other < row || !isAsked(other))
      found.push({ row, ...find(row, isOurs) })
      if (row % inTurn === 0) await yieldToEventLoop()
    }
    if (signal.aborted) return
    yield await judgeFound(db, judge, rows, found)
  }
}

interface Found extends Candidates {
  row: number
}

/** Without an embedder nothing is near, and no links are made. */
function levelsOf(embedder: MemoryCore["embedder"]): Levels {
  if (embedder === undefined) return { alike: 1, linked: 1, nearby: 1 }
  const { duplicate, related } = embedder.similarity
  return { alike: duplicate, linked: Math.max(leastLinked, (duplicate + related) / 2), nearby: related }
}

/** The least cosine for a relates-to link. */
const leastLinked = 0.75

async function judgeFound(
  db: Database,
  judge: Judge,
  rows: readonly ScopeRow[],
  found: readonly Found[],
): Promise<Chunk> {
  const known = await readKnown(db, idsOf(rows, found))
  const knownAt = (row: number) => known.get(rows[row]?.id ?? "")
  const verdicts: Verdict[] = []
  const linked: NewLink[] = []
  for (const [index, { row, alike, linked: near }] of found.entries()) {
    const one = knownAt(row)
    if (one === undefined) continue
    const similar = alike.flatMap(({ row: at, score }) => {
      const other = knownAt(at)
      return other ? [similarTo(other.memory, other.wording, one.wording, score)] : []
    })
    verdicts.push(...judge.judge(one.memory, similar))
    for (const { row: at, score } of near) {
      const to = knownAt(at)?.memory
      if (to) linked.push({ kind: "relates-to", from: one.memory, to, weight: weightOf(score) })
    }
    if (index % inTurn === 0) await yieldToEventLoop()
  }
  return {
    last: rows[found.at(-1)?.row ?? 0]?.seq ?? 0,
    verdicts,
    linked: linked.filter(({ from, to }) => judge.isCurrent(from.id) && judge.isCurrent(to.id)),
  }
}

function weightOf(score: number): number {
  return Math.round(Math.min(1, score) * 1000) / 1000
}

/** The ids of the memories to read; rows without candidates are not needed. */
function idsOf(rows: readonly ScopeRow[], found: readonly Found[]): string[] {
  const wanted = found.flatMap(({ row, alike, linked }) => {
    const others = [...alike, ...linked].map((each) => each.row)
    return others.length === 0 ? [] : [row, ...others]
  })
  return [...new Set(wanted)].map((row) => rows[row]?.id ?? "")
}

interface Known {
  memory: Memory
  wording: ComparableText
}

async function readKnown(db: Database, ids: readonly string[]): Promise<Map<string, Known>> {
  const known = new Map<string, Known>()
  for (const some of batchesOf(ids)) {
    for (const memory of await selectMemories(db, sql`m.id in ${sqlList(some)} and m.status = 'active'`))
      known.set(memory.id, { memory, wording: comparableText(memory.content) })
  }
  return known
}
