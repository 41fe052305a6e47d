import type { Config } from "../../config/schema.ts"
import type { Database } from "../../storage/database.ts"
import { wordsOf } from "../../storage/search.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { Memory } from "../model/memory.ts"
import { findProjects, type ProjectFinder } from "../model/project.ts"
import { requireMemory } from "../model/store/browse.ts"
import { selectMemories } from "../model/store/store.ts"
import { type Viewer, visibleTo } from "../model/visibility.ts"
import { sharedWords, wordingOf } from "../model/words/wording.ts"

interface SimilarNeeds {
  db: Database
  projects: ProjectFinder
  config: Config
  /** Without one, words alone tell. */
  embedder: { model: string } | undefined
}

/** What memories are compared with, and from where one looks. */
export interface SimilarQuery {
  id: string
  limit: number
  project?: string | undefined
  allProjects?: boolean | undefined
  session?: string | undefined
}

/** A memory that is like another one. */
export interface SimilarMemory {
  memory: Memory
  /** 0 to 1; the more the two have in common by meaning or by words, the higher. */
  score: number
  /** By what it was found: "meaning 0.83", "words 0.40". */
  via: string[]
}

/** So many times the wanted number is looked at by each way before both are put together. */
const lookedFactor = 3

/**
 * The memories nearest to one by meaning and by words, the nearest first. Whoever asks sees what they may see anyway, and
 * what belongs to the memory's own project.
 */
export async function similarMemories(
  needs: SimilarNeeds,
  { id, limit, project, allProjects, session }: SimilarQuery,
): Promise<{ memory: Memory; similar: SimilarMemory[] }> {
  const { db, embedder } = needs
  const memory = await requireMemory(db, id)
  if (!needs.config.memory.enabled) return { memory, similar: [] }
  const asked = project ? await findProjects(db, await needs.projects.find(project)) : []
  const own = memory.project === null ? [] : [memory.project]
  const viewer: Viewer = {
    projects: [...new Set([...asked, ...own])],
    session: session ?? memory.sessionId ?? undefined,
    allProjects,
    audiences: memory.audience === null ? [] : [memory.audience],
  }
  const where = sql`m.status = 'active' and m.id <> ${memory.id} and ${visibleTo(viewer)}`
  const most = limit * lookedFactor
  const vector = embedder && (await vectorOf(db, memory.id, embedder.model))
  const near =
    embedder && vector ? await db.search.nearest({ model: embedder.model, vector, where, limit: most }) : []
  const words = wordsOf(memory.content)
  const alike = words.length === 0 ? [] : await db.search.fullText({ words, where, limit: most })
  const meaning = new Map(near.map((found) => [found.id, found.score]))
  const ids = [...new Set([...near, ...alike].map((found) => found.id))]
  const known = ids.length === 0 ? [] : await selectMemories(db, sql`m.id in ${sqlList(ids)} and ${where}`)
  const text = wordingOf(memory.content)
  const similar = known
    .map((one) => scored(one, meaning.get(one.id), sharedWords(text.terms, wordingOf(one.content).terms)))
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
