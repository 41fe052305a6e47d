import type { Clock } from "../base/clock.ts"
import type { Config } from "../config/schema.ts"
import type { Database } from "../storage/database.ts"
import { wordsOf } from "../storage/search.ts"
import { sql, sqlList } from "../storage/sql.ts"
import type { Memory } from "./memory.ts"
import { findProjects, type ProjectFinder, projectConfig } from "./project.ts"
import { selectMemories } from "./store.ts"
import { type Viewer, visibleTo } from "./visibility.ts"

interface RetrieveNeeds {
  db: Database
  clock: Clock
  config: Config
  projects: ProjectFinder
}

export interface RetrieveQuery {
  query: string
  limit: number
  /** A folder or a name, as in `remember`. */
  project?: string | undefined
  session?: string | undefined
  allProjects?: boolean | undefined
}

/** A memory that was found, and how: each step that led to it. */
export interface Hit {
  memory: Memory
  /** The best hit has 1; compares within one answer only. */
  score: number
  via: string[]
}

export interface Retrieved {
  hits: Hit[]
  /** True when nothing is worth showing. */
  abstained: boolean
  /** Why nothing can be found, when that is not the query's fault. */
  reason?: string
}

/** The one way out of memory. */
export async function retrieve(needs: RetrieveNeeds, query: RetrieveQuery): Promise<Retrieved> {
  const { viewer, config } = await viewerOf(needs, query)
  if (!config.memory.enabled) {
    return {
      hits: [],
      abstained: true,
      reason: "memory is switched off (memory.enabled in the configuration)",
    }
  }
  const words = wordsOf(query.query)
  if (words.length === 0) return { hits: [], abstained: true }
  const where = sql`m.status = 'active' and ${visibleTo(viewer)}`
  const found = await needs.db.search.fullText({ words, where, limit: query.limit })
  const ids = found.map((hit) => hit.id)
  const memories = await selectMemories(needs.db, sql`m.id in ${sqlList(ids)} and ${where}`)
  const best = found[0]?.score ?? 0
  const byId = new Map(memories.map((memory) => [memory.id, memory]))
  const hits = found.flatMap(({ id, score }) => {
    const memory = byId.get(id)
    return memory ? [{ memory, score: best > 0 ? score / best : 0, via: ["text"] }] : []
  })
  return { hits, abstained: hits.length === 0 }
}

async function viewerOf(
  needs: RetrieveNeeds,
  query: RetrieveQuery,
): Promise<{ viewer: Viewer; config: Config }> {
  const viewer: Viewer = { session: query.session, allProjects: query.allProjects }
  if (query.project === undefined) return { viewer, config: needs.config }
  const identity = await needs.projects.find(query.project)
  const projects = await findProjects(needs.db, identity)
  return { viewer: { ...viewer, projects }, config: projectConfig(needs.config, identity) }
}
