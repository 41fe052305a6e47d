import type { Clock } from "../base/clock.ts"
import { messageOf } from "../base/errors.ts"
import type { Config } from "../config/schema.ts"
import type { Database } from "../storage/database.ts"
import { type Sql, sql, sqlList } from "../storage/sql.ts"
import type { Embedded, Embedder } from "./embedding/embedder.ts"
import { type Lexicon, readLexicon } from "./lexicon.ts"
import type { Memory } from "./memory.ts"
import { findProjects, type ProjectFinder, projectConfig } from "./project.ts"
import { type Asked, isEmptyWord, readAsked } from "./retrieval/asked.ts"
import { LateInteraction } from "./retrieval/late.ts"
import { rarityOf } from "./retrieval/lexical.ts"
import { type Candidate, openPool, type Pool, placeKey } from "./retrieval/pool.ts"
import { addPieces, type Ranked, rankFinally, rankFirst } from "./retrieval/rank.ts"
import { rareWords } from "./retrieval/rare-words.ts"
import { type Recipe, standardRecipe } from "./retrieval/recipe.ts"
import { selectMemories } from "./store.ts"
import { termOf } from "./terms.ts"
import { readPieces } from "./vectors.ts"
import { type Viewer, visibleTo } from "./visibility.ts"

interface RetrieveNeeds {
  db: Database
  clock: Clock
  config: Config
  projects: ProjectFinder
  embedder?: Embedder | undefined
  recipe?: Recipe
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
  const asked = readAsked(query.query, needs.clock.now())
  if (asked.words.length === 0) return { hits: [], abstained: true }
  const where = sql`m.status = 'active' and ${visibleTo(viewer)}`
  const ranked = await rankAll(needs, asked, where)
  const top = ranked.slice(0, query.limit)
  const memories = await selectMemories(
    needs.db,
    sql`m.id in ${sqlList(top.map(({ candidate }) => candidate.id))} and ${where}`,
  )
  const byId = new Map(memories.map((memory) => [memory.id, memory]))
  const hits = top.flatMap(({ candidate, score }) => {
    const memory = byId.get(candidate.id)
    return memory ? [{ memory, score, via: [...candidate.via] }] : []
  })
  return { hits, abstained: hits.length === 0 }
}

/** Everything that may answer, best first. */
async function rankAll(needs: RetrieveNeeds, asked: Asked, where: Sql): Promise<Ranked[]> {
  const { db, recipe = standardRecipe } = needs
  const [embedded, lexicon] = await Promise.all([embedQuestion(needs, asked), readLexicon(db, asked.terms)])
  const limit = recipe.candidates
  const text = await db.search.fullText({ words: rareWords(asked.words, lexicon), where, limit })
  const meaning = embedded
    ? await db.search.nearest({ model: embedded.model, vector: embedded.vector, where, limit })
    : []
  const pool = await openPool(db, where, { text, meaning })
  const first = rankFirst(recipe, asked, lexicon, pool)
  const list = first.slice(0, recipe.shortList)
  if (embedded?.tokens) {
    const late = new LateInteraction(asked.text, embedded.tokens, 0.3, weigher(recipe, lexicon, pool))
    addPieces(recipe, late, pool, list, await readPieces(db, embedded.model, withNeighbours(pool, list)))
  }
  return [...rankFinally(recipe, list), ...first.slice(recipe.shortList)]
}

/** The short list and the messages around it, whose word pieces count a little for it. */
function withNeighbours(pool: Pool, list: readonly Ranked[]): Candidate[] {
  const places = new Map([...pool.values()].map((candidate) => [placeKey(candidate), candidate]))
  const wanted = new Map<string, Candidate>()
  for (const { candidate } of list) {
    wanted.set(candidate.id, candidate)
    const { session, index } = candidate
    if (session === null || index === null) continue
    for (const step of [-2, -1, 1, 2]) {
      const other = places.get(placeKey({ session, index: index + step }))
      if (other) wanted.set(other.id, other)
    }
  }
  return [...wanted.values()]
}

/** How much a word of the question counts in late interaction. */
function weigher({ rarityPower }: Recipe, lexicon: Lexicon, pool: Pool): (word: string) => number {
  const names = new Set([...pool.values()].flatMap(({ speaker }) => speaker?.split(" ") ?? []))
  return (word) => {
    if (!/[\p{L}\p{N}]/u.test(word)) return 0
    const rarity = rarityOf(lexicon, termOf(word))
    return (rarity * (isEmptyWord(word) ? 0.2 : names.has(word) ? 0.7 : 1)) ** rarityPower
  }
}

/** The question's vectors; undefined where no embedder works, which leaves search by words. */
async function embedQuestion(
  { embedder, db }: RetrieveNeeds,
  { text }: Asked,
): Promise<(Embedded & { model: string }) | undefined> {
  if (embedder === undefined) return undefined
  try {
    const [embedded] = await embedder.embed([text], { tokens: true, urgent: true })
    return embedded ? { ...embedded, model: embedder.model } : undefined
  } catch (error) {
    void messageOf(error)
    void db
    return undefined
  }
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
