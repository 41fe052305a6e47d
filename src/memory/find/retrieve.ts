import type { Config } from "../../config/schema.ts"
import type { Database } from "../../storage/database.ts"
import { type Sql, sql, sqlList } from "../../storage/sql.ts"
import { confidenceAt, recencyBoost } from "../model/decay.ts"
import type { Memory } from "../model/memory.ts"
import type { MemoryCore } from "../model/memory-core.ts"
import { findProjects, projectConfig } from "../model/project.ts"
import { selectMemories } from "../model/store/store.ts"
import { type Viewer, type ViewerQuery, visibleTo } from "../model/visibility.ts"
import { type Answer, findAnswer, noAnswer } from "./answer.ts"
import { cascade } from "./cascade.ts"
import { Deduplicator } from "./deduplicate.ts"
import { findSuspectedUpdates, type OrderedHit, rankLaterNotesFirst, rankNewerFirst } from "./newer-first.ts"
import { parseQuery } from "./query.ts"
import { type Calibration, hitLikelihood, usualCosine } from "./rank/calibration.ts"
import { type Recipe, standardRecipe } from "./rank/recipe.ts"
import { findSuccessors } from "./successors.ts"
import { findTriggered } from "./triggers.ts"

export interface RetrieveQuery extends ViewerQuery, Pick<Viewer, "audiences" | "onlyAudience"> {
  query: string
  limit: number
  /**
   * Which uncertain hits are returned: with true, the default, the best few after the sure ones; with "strict" none; with
   * false all.
   */
  gate?: boolean | "strict" | undefined
  /** The time of the query in milliseconds, which relative times such as "last week" refer to; now by default. */
  askedAt?: number | undefined
  /** Nobody asked for memories: then a hit must be more likely to count as sure. */
  isUnasked?: boolean | undefined
}

/** A memory that was found. */
export interface Hit extends OrderedHit {
  /** Each step that led to it, such as "text", "meaning" or "tag deploy". */
  via: string[]
}

type RankedHit = Omit<Hit, "sure" | "older" | "suspected">

export interface Retrieved {
  hits: Hit[]
  /** How likely there is an answer at all, 0 to 1. */
  confidence: number
  /** True when no hit is sure. */
  abstained: boolean
  /** Why search is not available. */
  reason?: string
}

const nothing: Retrieved = { hits: [], confidence: 0, abstained: true }

/** Searches memory. All surfaces read through this function; benchmarks pass other recipes. */
export async function retrieve(
  core: MemoryCore,
  query: RetrieveQuery,
  recipe = standardRecipe,
): Promise<Retrieved> {
  const { viewer, config, root } = await viewerOf(core, query)
  if (!config.memory.enabled) {
    return { ...nothing, reason: "memory is switched off (memory.enabled in the configuration)" }
  }
  const { db } = core
  const parsed = parseQuery(query.query, query.askedAt ?? core.clock.now())
  const visible = visibleTo(viewer)
  const [found, triggered] = await Promise.all([
    parsed.words.length === 0 ? noAnswer : findAnswer(core, recipe, parsed, visible, query.limit),
    recipe.triggers ? findTriggered(db, sql`m.status = 'active' and ${visible}`, query.query) : [],
  ])
  const entries = [
    ...triggered.map(({ id, pattern }) => ({ id, ...triggeredEntry, via: [`trigger ${pattern}`] })),
    ...(await entriesOf(db, recipe, visible, found)),
  ]
  const all = await addSuspectedUpdates(db, entries, query.limit)
  const ranked = await screenHits(core, root, await loadHits(core, recipe, visible, all, query.limit))
  const { abstainBelow, unaskedBelow } = found.calibration
  const least = query.isUnasked ? unaskedBelow : abstainBelow
  const isSilent = triggered.length === 0 && found.confidence < least
  const marked = ranked.map((hit) => ({
    ...hit,
    sure: !isSilent && isLikely(found.calibration, hit.score, ranked[0]),
  }))
  const hits = await rankNewerFirst<Hit>(db, await rankLaterNotesFirst(core, marked, found.notes))
  return {
    hits: applyGate(hits, query.gate),
    confidence: found.confidence,
    abstained: !hits.some(({ sure }) => sure),
  }
}

/** At most this many uncertain hits are returned; after sure hits only those with at least this score. */
const maxUnsure = 5
const minUnsureScore = 0.05

function applyGate(hits: readonly Hit[], gate: RetrieveQuery["gate"] = true): Hit[] {
  if (gate === false) return [...hits]
  const sure = hits.filter((hit) => hit.sure)
  if (gate === "strict") return sure
  const unsure = hits.filter((hit) => !hit.sure && (sure.length === 0 || hit.score >= minUnsureScore))
  return [...sure, ...unsure.slice(0, maxUnsure)]
}

/** A memory whose trigger matches comes first. */
const triggeredEntry = { rank: 1000, score: 0.95 }

function isLikely(calibration: Calibration, score: number, best: RankedHit | undefined): boolean {
  const top = best === undefined || best.score >= triggeredEntry.score ? score : best.score
  return score >= calibration.leaveOutBelow && score >= calibration.leaveOutShare * top
}

/** A memory that may become a hit. */
interface Entry {
  id: string
  /** Entries are sorted by this, highest first. */
  rank: number
  /** How likely it belongs to the answer, 0 to 1. */
  score: number
  via: string[]
}

/** The found memories, or their successors, and the memories that graph edges lead to from there. */
async function entriesOf(
  db: Database,
  recipe: Recipe,
  visible: Sql,
  { ranked, calibration }: Answer,
): Promise<Entry[]> {
  const best = ranked[0]?.score ?? 0
  const among = { best, usual: usualCosine(ranked, calibration) }
  const replaced = ranked.filter(({ candidate }) => candidate.isReplaced).map(({ candidate }) => candidate.id)
  const successors = await findSuccessors(db, visible, replaced)
  const found = ranked.flatMap((one): Entry[] => {
    const { candidate } = one
    const id = candidate.isReplaced ? successors.get(candidate.id) : candidate.id
    if (id === undefined) return []
    const via = [...candidate.via, ...(id === candidate.id ? [] : [`supersedes ${candidate.id}`])]
    return [{ id, rank: one.score - one.setBack, score: hitLikelihood(calibration, one, among), via }]
  })
  const entries = mergeById(found)
  if (recipe.cascade.seeds === 0) return entries
  const seeds = entries.slice(0, recipe.cascade.seeds)
  const reached = await cascade(db, recipe.cascade, seeds)
  const { weight } = recipe.cascade
  const led = reached.map(({ id, score, via }) => ({
    id,
    rank: score * best * weight,
    score: score * weight,
    via: [via],
  }))
  return [...entries, ...led].sort((a, b) => b.rank - a.rank)
}

/** Ranks each suspected update of a found memory at least as high as that memory, and adds it if it was not found. */
async function addSuspectedUpdates(db: Database, entries: readonly Entry[], limit: number): Promise<Entry[]> {
  const top = entries.slice(0, limit + spare)
  const newer = await findSuspectedUpdates(
    db,
    top.map(({ id }) => id),
  )
  if (newer.size === 0) return [...entries]
  const raised = new Map<string, Entry>()
  for (const entry of top) {
    const update = newer.get(entry.id)
    if (update === undefined) continue
    const known = raised.get(update) ?? entries.find(({ id }) => id === update)
    if (known && known.rank >= entry.rank) continue
    const via = [...(known?.via ?? []), `may-replace ${entry.id}`]
    raised.set(update, { ...entry, id: update, via })
  }
  const others = entries.filter(({ id }) => !raised.has(id))
  return [...raised.values(), ...others].sort((a, b) => b.rank - a.rank)
}

/** Each memory once, at its best rank: a memory may be found itself and as the successor of another. */
function mergeById(entries: readonly Entry[]): Entry[] {
  const first = new Map<string, Entry>()
  for (const entry of entries) {
    const known = first.get(entry.id)
    first.set(entry.id, known ? { ...known, via: [...new Set([...known.via, ...entry.via])] } : entry)
  }
  return [...first.values()]
}

/** How many entries beyond the limit are loaded, since some are invisible or repeat others. */
const spare = 30

/** Loads the memories of these entries, applies the priors, and removes repetitions. */
async function loadHits(
  { db, clock }: MemoryCore,
  recipe: Recipe,
  visible: Sql,
  entries: readonly Entry[],
  limit: number,
): Promise<RankedHit[]> {
  const first = new Map<string, Entry>()
  for (const entry of entries) if (!first.has(entry.id)) first.set(entry.id, entry)
  const top = [...first.values()].slice(0, limit + spare)
  const ids = sqlList(top.map(({ id }) => id))
  const where = sql`m.id in ${ids} and m.status = 'active' and ${visible}`
  const memories = new Map((await selectMemories(db, where)).map((memory) => [memory.id, memory]))
  const now = clock.now()
  const hits = top.flatMap(({ id, rank, score, via }) => {
    const memory = memories.get(id)
    return memory ? [{ memory, score, via, rank: rank + prior(recipe, memory, now) }] : []
  })
  hits.sort((a, b) => b.rank - a.rank || (a.memory.id < b.memory.id ? -1 : 1))
  const shown: RankedHit[] = []
  const texts = new Deduplicator()
  for (const { memory, score, via } of hits) {
    if (shown.length >= limit) break
    if (recipe.diversity && !texts.add(memory.content, memory.sessionId)) continue
    shown.push({ memory, via, score: Math.min(score, shown.at(-1)?.score ?? 1) })
  }
  return shown
}

/** Screens the hits again: a memory can be older than the rule that would have refused it. */
async function screenHits(
  { screen }: MemoryCore,
  projectRoot: string | null,
  hits: readonly RankedHit[],
): Promise<RankedHit[]> {
  const shown = hits.map(async (hit): Promise<RankedHit[]> => {
    const result = await screen.check(hit.memory.content, { projectRoot })
    if (result.outcome === "clean") return [hit]
    if (result.outcome === "refused") return []
    return [{ ...hit, memory: { ...hit.memory, content: result.text } }]
  })
  return (await Promise.all(shown)).flat()
}

/** The part of the rank that does not depend on the query: confidence, strength and recent use. */
function prior({ priors }: Recipe, memory: Memory, now: number): number {
  return (
    priors.confidence * confidenceAt(memory, now) +
    priors.strength * Math.log2(memory.strength) +
    priors.recency * (recencyBoost(memory, now) - 1)
  )
}

async function viewerOf(
  core: MemoryCore,
  query: RetrieveQuery,
): Promise<{ viewer: Viewer; config: Config; root: string | null }> {
  const { session, allProjects, audiences, onlyAudience } = query
  const viewer: Viewer = { session, allProjects, audiences, onlyAudience }
  if (query.project === undefined) return { viewer, config: core.config, root: null }
  const identity = await core.projects.find(query.project)
  const projects = await findProjects(core.db, identity)
  const config = await projectConfig(core.config, identity)
  return { viewer: { ...viewer, projects }, config, root: identity.root }
}
