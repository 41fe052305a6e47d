import type { Database } from "../../storage/database.ts"
import { searchTerms } from "../../storage/search.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { Memory } from "../model/memory.ts"
import type { MemoryCore } from "../model/memory-core.ts"
import { requireMemory } from "../model/store/browse.ts"
import { selectMemories } from "../model/store/store.ts"
import { type Viewer, type ViewerQuery, viewerFor, visibleTo } from "../model/visibility.ts"
import { comparableText, wordOverlap } from "../model/words/comparable-text.ts"

/** A memory that is similar to another one. */
export interface SimilarMemory {
  memory: Memory
  /** The higher of the similarity by meaning and by words, 0 to 1. */
  score: number
  /** How it was found: "meaning 0.83", "words 0.40". */
  via: string[]
}

/** Each search returns this many times the limit before the results are merged. */
const searchFactor = 3

/**
 * The memories nearest to one by meaning and by words, the nearest first: those the viewer may see, and those of the
 * memory's own project.
 */
export async function similarMemories(
  core: Pick<MemoryCore, "db" | "projects" | "config" | "embedder">,
  { id, limit, ...query }: ViewerQuery & { id: string; limit: number },
): Promise<{ memory: Memory; similar: SimilarMemory[] }> {
  const { db, embedder } = core
  const memory = await requireMemory(db, id)
  if (!core.config.memory.enabled) return { memory, similar: [] }
  const asking = await viewerFor(core, query)
  const own = memory.project === null ? [] : [memory.project]
  const viewer: Viewer = {
    ...asking,
    projects: [...new Set([...asking.projects, ...own])],
    session: asking.session ?? memory.sessionId ?? undefined,
    audiences: memory.audience === null ? [] : [memory.audience],
  }
  const where = sql`m.status = 'active' and m.id <> ${memory.id} and ${visibleTo(viewer)}`
  const most = limit * searchFactor
  const vector = embedder && (await vectorOf(db, memory.id, embedder.model))
  const near =
    embedder && vector ? await db.search.nearest({ model: embedder.model, vector, where, limit: most }) : []
  const words = searchTerms(memory.content)
  const matching = words.length === 0 ? [] : await db.search.fullText({ words, where, limit: most })
  const meaning = new Map(near.map((found) => [found.id, found.score]))
  const ids = [...new Set([...near, ...matching].map((found) => found.id))]
  const known = ids.length === 0 ? [] : await selectMemories(db, sql`m.id in ${sqlList(ids)} and ${where}`)
  const text = comparableText(memory.content)
  const similar = known
    .map((one) =>
      scored(one, meaning.get(one.id), wordOverlap(text.terms, comparableText(one.content).terms)),
    )
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.memory.id < b.memory.id ? -1 : 1))
  return { memory, similar: similar.slice(0, limit) }
}

function scored(memory: Memory, cosine: number | undefined, shared: number): SimilarMemory {
  const via = [
    ...(cosine === undefined ? [] : [`meaning ${cosine.toFixed(2)}`]),
    ...(shared > 0 ? [`words ${shared.toFixed(2)}`] : []),
  ]
  return { memory, score: Math.min(1, Math.max(0, cosine ?? 0, shared)), via }
}

async function vectorOf(db: Database, id: string, model: string): Promise<Float32Array | undefined> {
  const [found] = await db.search.vectorsOf({ model, where: sql`m.id = ${id}`, after: 0, limit: 1 })
  return found?.vector
}
