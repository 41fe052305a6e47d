import type { Clock } from "../../base/clock.ts"
import type { Log } from "../../base/log.ts"
import type { Config } from "../../config/schema.ts"
import type { Embedder } from "../../embedding/embedder.ts"
import type { Screen } from "../../privacy/screen.ts"
import type { Database } from "../../storage/database.ts"
import { type Sql, sql, sqlList } from "../../storage/sql.ts"
import { confidenceAt, recencyBoost } from "../model/decay.ts"
import type { Memory } from "../model/memory.ts"
import { findProjects, type ProjectFinder, projectConfig } from "../model/project.ts"
import { selectMemories } from "../model/store/store.ts"
import { type Viewer, visibleTo } from "../model/visibility.ts"
import { type Answer, findAnswer, noAnswer } from "./answer.ts"
import { readAsked } from "./asked.ts"
import { cascade } from "./cascade.ts"
import { ShownTexts } from "./diversity.ts"
import { laterFirst, newerFirst, suspectedNewer } from "./older.ts"
import { type Calibration, hitLikelihood, usualCosine } from "./rank/calibration.ts"
import { type Recipe, standardRecipe } from "./rank/recipe.ts"
import { findSuccessors } from "./successors.ts"
import { findTriggered } from "./triggers.ts"

/** What finding memories needs. */
export interface RetrieveNeeds {
  db: Database
  clock: Clock
  log: Log
  config: Config
  projects: ProjectFinder
  screen: Screen
  /** Without one, memories are found by their words only. */
  embedder: Embedder | undefined
  /** The standard one unless somebody measures another. */
  recipe?: Recipe
}

export interface RetrieveQuery {
  query: string
  limit: number
  /** A folder or a name, as in `remember`. */
  project?: string | undefined
  session?: string | undefined
  audiences?: readonly string[] | undefined
  /** What has this audience, of any scope, and nothing else at all. */
  onlyAudience?: string | undefined
  allProjects?: boolean | undefined
  /**
   * Whether what is not sure is left out. True, the default, gives what is sure and behind it the best few that are not;
   * "strict" gives only what is sure; false gives everything as it is ranked.
   */
  gate?: boolean | "strict" | undefined
  /** When it is asked, in milliseconds: "last week" is the week before. Now, unless said otherwise. */
  askedAt?: number | undefined
  /** Nobody asked: then more speaks for silence. */
  isUnasked?: boolean | undefined
}

/** A memory that was found, and how: each step that led to it. */
export interface Hit {
  memory: Memory
  /** How likely it belongs to the answer, 0 to 1; falls down the list. */
  score: number
  /** Whether it is likely enough to be told to somebody who did not ask. What is sure stands first. */
  sure: boolean
  via: string[]
  /** The id of a newer hit that says otherwise; nobody has decided between them yet. */
  older?: string
  /** Only the trained model takes that newer one for an update. */
  suspected?: true
}

type RankedHit = Omit<Hit, "sure" | "older" | "suspected">

export interface Retrieved {
  hits: Hit[]
  /** How likely there is an answer at all, 0 to 1. */
  confidence: number
  /** True when nothing is sure. */
  abstained: boolean
  /** Why nothing can be found, when that is not the query's fault. */
  reason?: string
}

const nothing: Retrieved = { hits: [], confidence: 0, abstained: true }

/** The one way out of memory. */
export async function retrieve(needs: RetrieveNeeds, query: RetrieveQuery): Promise<Retrieved> {
  const { viewer, config, root } = await viewerOf(needs, query)
  if (!config.memory.enabled) {
    return { ...nothing, reason: "memory is switched off (memory.enabled in the configuration)" }
  }
  const asked = readAsked(query.query, query.askedAt ?? needs.clock.now())
  const visible = visibleTo(viewer)
  const { recipe = standardRecipe } = needs
  const [found, triggered] = await Promise.all([
    asked.words.length === 0 ? noAnswer : findAnswer({ ...needs, recipe }, asked, visible, query.limit),
    recipe.triggers ? findTriggered(needs.db, sql`m.status = 'active' and ${visible}`, query.query) : [],
  ])
  const entries = [
    ...triggered.map(({ id, pattern }) => ({ id, ...triggeredEntry, via: [`trigger ${pattern}`] })),
    ...(await entriesOf(needs, visible, found)),
  ]
  const all = await withSuspected(needs.db, entries, query.limit)
  const ranked = await screened(needs, root, await loadHits(needs, visible, all, query.limit))
  const { abstainBelow, unaskedBelow } = found.calibration
  const least = query.isUnasked ? unaskedBelow : abstainBelow
  const isSilent = triggered.length === 0 && found.confidence < least
  const marked = ranked.map((hit) => ({
    ...hit,
    sure: !isSilent && isLikely(found.calibration, hit.score, ranked[0]),
  }))
  const hits = await newerFirst<Hit>(needs.db, await laterFirst(needs, marked, found.notes))
  return {
    hits: gated(hits, query.gate),
    confidence: found.confidence,
    abstained: !hits.some(({ sure }) => sure),
  }
}

/** So many that are not sure are shown to somebody who asked; behind sure ones only what is not quite unlikely. */
const mostUnsure = 5
const leastBesideSure = 0.05

function gated(hits: readonly Hit[], gate: RetrieveQuery["gate"] = true): Hit[] {
  if (gate === false) return [...hits]
  const sure = hits.filter((hit) => hit.sure)
  if (gate === "strict") return sure
  const unsure = hits.filter((hit) => !hit.sure && (sure.length === 0 || hit.score >= leastBesideSure))
  return [...sure, ...unsure.slice(0, mostUnsure)]
}

/** A memory that brings itself up is meant to be seen. */
const triggeredEntry = { rank: 1000, score: 0.95 }

function isLikely(calibration: Calibration, score: number, best: RankedHit | undefined): boolean {
  const top = best === undefined || best.score >= triggeredEntry.score ? score : best.score
  return score >= calibration.leaveOutBelow && score >= calibration.leaveOutShare * top
}

/** A memory that may be shown. */
interface Entry {
  id: string
  /** Its rank is by this, higher first. */
  rank: number
  /** How likely it belongs to the answer. */
  score: number
  via: string[]
}

/** What was found, or what replaced it, and behind it what the graph leads to from there. */
async function entriesOf(needs: RetrieveNeeds, visible: Sql, answer: Answer): Promise<Entry[]> {
  const { db, recipe = standardRecipe } = needs
  const { ranked, calibration } = answer
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
  const entries = joined(found)
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

/** What may be an update of something found stands no lower than it, found or not. */
async function withSuspected(db: Database, entries: readonly Entry[], limit: number): Promise<Entry[]> {
  const top = entries.slice(0, limit + spare)
  const newer = await suspectedNewer(
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

/** Each memory once, at its best rank: it may be found itself, and for what it replaced. */
function joined(entries: readonly Entry[]): Entry[] {
  const first = new Map<string, Entry>()
  for (const entry of entries) {
    const known = first.get(entry.id)
    first.set(entry.id, known ? { ...known, via: [...new Set([...known.via, ...entry.via])] } : entry)
  }
  return [...first.values()]
}

/** How many more than asked for are looked at, since some turn out to be unseen, repeated or doubtful. */
const spare = 30

/** The memories of these entries, each once, in the order that priors give them. */
async function loadHits(
  needs: RetrieveNeeds,
  visible: Sql,
  entries: readonly Entry[],
  limit: number,
): Promise<RankedHit[]> {
  const { recipe = standardRecipe } = needs
  const first = new Map<string, Entry>()
  for (const entry of entries) if (!first.has(entry.id)) first.set(entry.id, entry)
  const top = [...first.values()].slice(0, limit + spare)
  const ids = sqlList(top.map(({ id }) => id))
  const where = sql`m.id in ${ids} and m.status = 'active' and ${visible}`
  const memories = new Map((await selectMemories(needs.db, where)).map((memory) => [memory.id, memory]))
  const now = needs.clock.now()
  const hits = top.flatMap(({ id, rank, score, via }) => {
    const memory = memories.get(id)
    return memory ? [{ memory, score, via, rank: rank + prior(recipe, memory, now) }] : []
  })
  hits.sort((a, b) => b.rank - a.rank || (a.memory.id < b.memory.id ? -1 : 1))
  const shown: RankedHit[] = []
  const texts = new ShownTexts()
  for (const { memory, score, via } of hits) {
    if (shown.length >= limit) break
    if (recipe.diversity && !texts.add(memory.content, memory.sessionId)) continue
    shown.push({ memory, via, score: Math.min(score, shown.at(-1)?.score ?? 1) })
  }
  return shown
}

/** Takes out what may not be shown: a memory can be older than the rule that would have kept it out. */
async function screened(
  { screen }: RetrieveNeeds,
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

/** What is believed, said often or used lately moves up a little, whatever was asked. */
function prior({ priors }: Recipe, memory: Memory, now: number): number {
  return (
    priors.confidence * confidenceAt(memory, now) +
    priors.strength * Math.log2(memory.strength) +
    priors.recency * (recencyBoost(memory, now) - 1)
  )
}

async function viewerOf(
  needs: RetrieveNeeds,
  query: RetrieveQuery,
): Promise<{ viewer: Viewer; config: Config; root: string | null }> {
  const { session, allProjects, audiences, onlyAudience } = query
  const viewer: Viewer = { session, allProjects, audiences, onlyAudience }
  if (query.project === undefined) return { viewer, config: needs.config, root: null }
  const identity = await needs.projects.find(query.project)
  const projects = await findProjects(needs.db, identity)
  const config = await projectConfig(needs.config, identity)
  return { viewer: { ...viewer, projects }, config, root: identity.root }
}
