import { messageOf } from "../../base/errors.ts"
import type { Embedded } from "../../embedding/embedder.ts"
import type { Database } from "../../storage/database.ts"
import { type Sql, sql, sqlList } from "../../storage/sql.ts"
import type { MemoryCore } from "../model/memory-core.ts"
import { correctedWords } from "../model/words/spelling.ts"
import { type Lexicon, readLexicon } from "../model/words/word-index.ts"
import { addFound, type Candidate, Pool, readPieces } from "./pool.ts"
import { type Query, withCorrections } from "./query.ts"
import {
  answerFeatures,
  type Calibration,
  closenessOf,
  hitsOfAnswer,
  likelihood,
} from "./rank/calibration.ts"
import { calibrationFor, standardCosine } from "./rank/calibrations.ts"
import type { FeatureWeights } from "./rank/features.ts"
import { addStretches, bestStretches, gistShare, type StretchOf, spread, withGist } from "./rank/gist.ts"
import { LateInteraction, pieceWeights } from "./rank/late-interaction.ts"
import { createBm25 } from "./rank/lexical.ts"
import { addPieces, namedSpeaker, type Ranked, rankBy, rankFirst } from "./rank/rank.ts"
import type { Recipe } from "./rank/recipe.ts"
import { rerankWithModel } from "./rank/rerank.ts"
import { readStretches, stretchesOf } from "./rank/stretches.ts"
import { rareWords } from "./rare-words.ts"

type AnswerCore = Pick<MemoryCore, "db" | "log" | "embedder">

/** Everything that may answer a query, best first, and how likely there is an answer. */
export interface Answer {
  ranked: Ranked[]
  confidence: number
  calibration: Calibration
  /** The ids of those that are single notes, not messages of a conversation. */
  notes: ReadonlySet<string>
}

/** The answer to a query without words. */
export const noAnswer: Answer = {
  ...{ ranked: [], confidence: 0, calibration: calibrationFor(undefined) },
  notes: new Set(),
}

/** Finds and ranks what may answer; `wanted` hits will be shown. */
export async function findAnswer(
  core: AnswerCore,
  recipe: Recipe,
  typed: Query,
  visible: Sql,
  wanted: number,
): Promise<Answer> {
  const { db } = core
  // Superseded memories are searched too: a query in their words should find their successors.
  const where = sql`m.status in ('active', 'superseded') and ${visible}`
  const limit = candidateCount(recipe.candidates, wanted)
  const shortList = candidateCount(recipe.shortList, wanted)
  const pool = new Pool()
  // Both searches run at once: the embedding model computes in its own thread.
  const [{ embedded, near }, { query, lexicon }] = await Promise.all([
    findNear(core, typed, where, limit),
    addByWords(db, typed, where, limit, pool),
  ])
  await addFound(db, where, pool, "meaning", near)
  const gist = gistOf(recipe, query, pool)
  const scale = core.embedder?.scale
  const cosines = embedded && standardCosine({ model: embedded.model, scale })
  const cheap = rankFirst(recipe, query, lexicon, pool, cosines)
  const first = await rankByGist(db, recipe, where, { query, lexicon, embedded, gist }, cheap)
  const list = first.slice(0, shortList)
  const pieces =
    embedded?.tokens && recipe.final.pieces + recipe.final.piecesAround + recipe.final.piecesInSession > 0
      ? await readPieces(db, embedded.model, withNeighbours(pool, list))
      : new Map<string, Int8Array>()
  const compared = embedded && { model: embedded.model, hasPieces: pieces.size > 0, scale }
  if (embedded?.tokens && pieces.size > 0) {
    const weigh = pieceWeights(recipe, lexicon, pool)
    const { piecesFloor } = calibrationFor(compared)
    const late = new LateInteraction(query.text, embedded.tokens, piecesFloor, weigh)
    addPieces(recipe, late, pool, list, pieces)
  }
  const found = rankFinally(recipe, gist, list, notesShare(pool, list))
  const fitted = calibrationFor(compared, isNote(pool, found[0]))
  const ranked = await rerankWithModel(core, query.text, found, fitted)
  const isJudged = ranked[0]?.answers !== undefined
  const { answer, abstainBelow, unaskedBelow } = (isJudged ? fitted.judged : undefined) ?? fitted
  const calibration = { ...fitted, abstainBelow, unaskedBelow }
  const signs = answerFeatures(calibration, ranked, {
    speaker: namedSpeaker(query, pool),
    closeness: await closenessTo(db, calibration, embedded, ranked),
    memories: lexicon.memories,
  })
  const confidence = ranked.length === 0 ? 0 : likelihood(answer, signs)
  const all = [...ranked, ...appendBehind(ranked.at(-1), first.slice(shortList))]
  const notes = new Set(all.filter((one) => isNote(pool, one)).map(({ candidate }) => candidate.id))
  return { ranked: all, confidence, calibration, notes }
}

/** The closeness of the first few hits to the query, if the calibration uses it. */
async function closenessTo(
  db: Database,
  { background }: Calibration,
  embedded: EmbeddedQuery | undefined,
  ranked: readonly Ranked[],
): Promise<number[]> {
  if (background === undefined || embedded === undefined || ranked.length === 0) return []
  const seqs = ranked.slice(0, hitsOfAnswer).map(({ candidate }) => candidate.seq)
  const { model, vector } = embedded
  const first = { model, where: sql`m.seq in ${sqlList(seqs)}`, after: 0, limit: hitsOfAnswer }
  const notes = await db.search.vectorsOf(first)
  return notes.map((note) => closenessOf(background, vector, note.vector))
}

/** Adds the memories that contain the query's rarer words. */
async function addByWords(
  db: Database,
  typed: Query,
  where: Sql,
  limit: number,
  pool: Pool,
): Promise<CountedQuery> {
  const { query, lexicon } = await readWords(db, typed)
  const found = await db.search.fullText({ ...rareWords(query.words, lexicon), where, limit })
  await addFound(db, where, pool, "text", found)
  return { query, lexicon }
}

/** A query, and how common its words are. */
interface CountedQuery {
  query: Query
  lexicon: Lexicon
}

/** Counts the query's words, and corrects those that no memory contains. */
async function readWords(db: Database, query: Query): Promise<CountedQuery> {
  const lexicon = await readLexicon(db, query.terms)
  const unknown = query.words.filter((_, index) => (lexicon.counts.get(query.terms[index] ?? 0) ?? 0) <= 0)
  const corrections = await correctedWords(db, unknown)
  if (corrections.size === 0) return { query, lexicon }
  const corrected = withCorrections(query, corrections)
  return { query: corrected, lexicon: await readLexicon(db, corrected.terms) }
}

/** The query's vectors, and the memories nearest to them. */
async function findNear(core: AnswerCore, query: Query, where: Sql, limit: number) {
  const embedded = await embedQuery(core, query)
  if (embedded === undefined) return { embedded, near: [] }
  const { model, vector } = embedded
  return { embedded, near: await core.db.search.nearest({ model, vector, where, limit }) }
}

/** The query's vectors; undefined without a working embedder, which leaves the search by words. */
async function embedQuery(
  { embedder, log }: AnswerCore,
  { text }: Query,
): Promise<EmbeddedQuery | undefined> {
  if (embedder === undefined || embedder.reads?.(text) === false) return undefined
  try {
    const [embedded] = await embedder.embed([text], { tokens: true, urgent: true, question: true })
    return embedded ? { ...embedded, model: embedder.model } : undefined
  } catch (error) {
    log.warn("Searching by words only", { reason: messageOf(error) })
    return undefined
  }
}

type EmbeddedQuery = Embedded & { model: string }

/** At most this many candidates are requested beyond the recipe's number. */
const maxCandidates = 200

/** The number of candidates: the recipe's, or twice the wanted number. */
function candidateCount(usual: number, wanted: number): number {
  return Math.max(usual, Math.min(2 * wanted, maxCandidates))
}

/** For a long query: how much its gist counts, and the stretches of the candidates. */
interface Gist {
  share: number
  stretchOf: StretchOf
}

function gistOf(recipe: Recipe, query: Query, pool: Pool): Gist | undefined {
  const share = gistShare(recipe, query)
  return share === 0 ? undefined : { share, stretchOf: stretchesOf([...pool.values()]) }
}

/** Repeats the first ranking with features of whole sessions, where the gist counts. */
async function rankByGist(
  db: Database,
  recipe: Recipe,
  where: Sql,
  {
    query,
    lexicon,
    embedded,
    gist,
  }: CountedQuery & {
    embedded: EmbeddedQuery | undefined
    gist: Gist | undefined
  },
  first: Ranked[],
): Promise<Ranked[]> {
  if (gist === undefined) return first
  const bm25 = createBm25(query.terms, lexicon, recipe.gist.bm25)
  const best = bestStretches(first, gist.stretchOf, recipe.gist.stretches)
  const read = await readStretches(db, where, bm25, embedded, best)
  addStretches(first, gist.stretchOf, bm25, read)
  return rankBy(withGist(recipe, gist.share, recipe.first), first)
}

/** Whether it is a single note: it has no neighbouring messages. */
function isNote(pool: Pool, one: Ranked | undefined): boolean {
  return one !== undefined && [-1, 1].every((step) => pool.neighbour(one.candidate, step) === undefined)
}

/** The share of a list that are single notes, 0 to 1. */
function notesShare(pool: Pool, list: readonly Ranked[]): number {
  return list.length === 0 ? 0 : list.filter((one) => isNote(pool, one)).length / list.length
}

/** The weights of the final ranking, where this share of the list are single notes, which have no neighbours. */
function finalWeights({ final, notes }: Recipe, share: number): FeatureWeights {
  const { speaker, date, time, question, ...rest } = final
  const times = (weights: object, factor: number) =>
    Object.fromEntries(Object.entries(weights).map(([name, weight]) => [name, factor * weight]))
  return { ...times(rest, 1 - share), ...times(notes, share), speaker, date, time, question }
}

/** The short list and its neighbours, whose word pieces count a little. */
function withNeighbours(pool: Pool, list: readonly Ranked[]): Candidate[] {
  const wanted = new Set<Candidate>()
  for (const { candidate } of list) {
    wanted.add(candidate)
    for (const step of [-2, -1, 1, 2]) {
      const other = pool.neighbour(candidate, step)
      if (other) wanted.add(other)
    }
  }
  return [...wanted]
}

/** The final ranking. The gist of a long query counts as far as the list's memories share their sessions with others. */
function rankFinally(
  recipe: Recipe,
  gist: Gist | undefined,
  list: readonly Ranked[],
  notes: number,
): Ranked[] {
  const weights = finalWeights(recipe, notes)
  const share = gist === undefined ? 0 : gist.share * togetherShare(gist, list)
  if (gist === undefined || share === 0) return rankBy(weights, list)
  return spread(rankBy(withGist(recipe, share, weights), list), gist.stretchOf, share * recipe.gist.spread)
}

/** The share of a list that has other candidates in its stretch, 0 to 1. */
function togetherShare({ stretchOf }: Gist, list: readonly Ranked[]): number {
  const together = list.filter(({ candidate }) => (stretchOf.get(candidate)?.candidates.length ?? 0) > 1)
  return list.length === 0 ? 0 : together.length / list.length
}

/** Scores the candidates after the short list below its last one: their own scores are not comparable. */
function appendBehind(last: Ranked | undefined, rest: readonly Ranked[]): Ranked[] {
  const from = last === undefined ? 0 : last.score - last.setBack
  return rest.map((one, index) => ({ ...one, score: from - 0.001 * (index + 1) }))
}
