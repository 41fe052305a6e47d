import { messageOf } from "../../base/errors.ts"
import type { Log } from "../../base/log.ts"
import type { Embedded, Embedder } from "../../embedding/embedder.ts"
import type { Database } from "../../storage/database.ts"
import { type Sql, sql, sqlList } from "../../storage/sql.ts"
import { correctedWords } from "../model/words/spelling.ts"
import { type Lexicon, readLexicon } from "../model/words/word-index.ts"
import { type Asked, respelled } from "./asked.ts"
import { addFound, type Candidate, Pool } from "./pool.ts"
import { closenessOf } from "./rank/background.ts"
import { answerSigns, type Calibration, hitsOfAnswer, likelihood } from "./rank/calibration.ts"
import { calibrationFor, standardCosine } from "./rank/calibrations.ts"
import { addStretches, bestStretches, gistShare, type StretchOf, spread, withGist } from "./rank/gist.ts"
import { judgeFirst } from "./rank/judged.ts"
import { LateInteraction } from "./rank/late-interaction.ts"
import { createBm25 } from "./rank/lexical.ts"
import { addPieces, type FeatureWeights, namedSpeaker, type Ranked, rankBy, rankFirst } from "./rank/rank.ts"
import type { Recipe } from "./rank/recipe.ts"
import { readStretches, stretchesOf } from "./rank/stretches.ts"
import { pieceWeights } from "./rank/weights.ts"
import { rareWords } from "./rare-words.ts"
import { readPieces } from "./read-pieces.ts"

interface AnswerNeeds {
  db: Database
  log: Log
  embedder: Embedder | undefined
  recipe: Recipe
}

/** Everything that may answer, best first, and how likely anything does. */
export interface Answer {
  ranked: Ranked[]
  confidence: number
  calibration: Calibration
  /** The ids of those that stand by themselves, not among the messages of a conversation. */
  notes: ReadonlySet<string>
}

/** What answers a question of nothing. */
export const noAnswer: Answer = {
  ...{ ranked: [], confidence: 0, calibration: calibrationFor(undefined) },
  notes: new Set(),
}

/** Finds and ranks what may answer, enough for so many to be shown. */
export async function findAnswer(
  needs: AnswerNeeds,
  given: Asked,
  visible: Sql,
  wanted: number,
): Promise<Answer> {
  const { db, recipe } = needs
  // What was replaced is looked for too: whoever asks in its words wants to know what holds now.
  const where = sql`m.status in ('active', 'superseded') and ${visible}`
  const limit = atLeast(recipe.candidates, wanted)
  const shortList = atLeast(recipe.shortList, wanted)
  const pool = new Pool()
  // The model computes in its own thread while words are searched for, and a server looks for both at once.
  const [{ embedded, near }, { asked, lexicon }] = await Promise.all([
    findNear(needs, given, where, limit),
    addByWords(db, given, where, limit, pool),
  ])
  await addFound(db, where, pool, "meaning", near)
  const gist = gistOf(recipe, asked, pool)
  const question = { asked, lexicon, embedded, gist }
  const cosines = embedded && standardCosine({ model: embedded.model, scale: needs.embedder?.scale })
  const cheap = rankFirst(recipe, asked, lexicon, pool, cosines)
  const first = await rankByGist(needs, where, question, cheap)
  const list = first.slice(0, shortList)
  const pieces =
    embedded?.tokens && recipe.final.pieces + recipe.final.piecesAround + recipe.final.piecesInSession > 0
      ? await readPieces(db, embedded.model, withNeighbours(pool, list))
      : new Map<string, Int8Array>()
  const compared = embedded && {
    model: embedded.model,
    hasPieces: pieces.size > 0,
    scale: needs.embedder?.scale,
  }
  if (embedded?.tokens && pieces.size > 0) {
    const weigh = pieceWeights(recipe, lexicon, pool)
    const { piecesFloor } = calibrationFor(compared)
    const late = new LateInteraction(asked.text, embedded.tokens, piecesFloor, weigh)
    addPieces(recipe, late, pool, list, pieces)
  }
  const found = rankFinally(recipe, gist, list, notesShare(pool, list))
  const fitted = calibrationFor(compared, isNote(pool, found[0]))
  const ranked = await judgeFirst(needs, asked.text, found, fitted)
  const isJudged = ranked[0]?.answers !== undefined
  const { answer, abstainBelow, unaskedBelow } = (isJudged ? fitted.judged : undefined) ?? fitted
  const calibration = { ...fitted, abstainBelow, unaskedBelow }
  const signs = answerSigns(calibration, ranked, {
    speaker: namedSpeaker(asked, pool),
    closeness: await closenessTo(db, calibration, embedded, ranked),
    memories: lexicon.memories,
  })
  const confidence = ranked.length === 0 ? 0 : likelihood(answer, signs)
  const all = [...ranked, ...behind(ranked.at(-1), first.slice(shortList))]
  const notes = new Set(all.filter((one) => isNote(pool, one)).map(({ candidate }) => candidate.id))
  return { ranked: all, confidence, calibration, notes }
}

/** How near the first few are to the question beyond what any note is, where that counts. */
async function closenessTo(
  db: Database,
  { background }: Calibration,
  embedded: EmbeddedQuestion | undefined,
  ranked: readonly Ranked[],
): Promise<number[]> {
  if (background === undefined || embedded === undefined || ranked.length === 0) return []
  const seqs = ranked.slice(0, hitsOfAnswer).map(({ candidate }) => candidate.seq)
  const { model, vector } = embedded
  const first = { model, where: sql`m.seq in ${sqlList(seqs)}`, after: 0, limit: hitsOfAnswer }
  const notes = await db.search.vectorsOf(first)
  return notes.map((note) => closenessOf(background, vector, note.vector))
}

/** Adds what shares the question's rarer words. */
async function addByWords(
  db: Database,
  given: Asked,
  where: Sql,
  limit: number,
  pool: Pool,
): Promise<Worded> {
  const { asked, lexicon } = await readWords(db, given)
  const found = await db.search.fullText({ ...rareWords(asked.words, lexicon), where, limit })
  await addFound(db, where, pool, "text", found)
  return { asked, lexicon }
}

/** A question with how common its words are. */
interface Worded {
  asked: Asked
  lexicon: Lexicon
}

/** Reads a question's words; those that no memory has may be mistyped. */
async function readWords(db: Database, asked: Asked): Promise<Worded> {
  const lexicon = await readLexicon(db, asked.terms)
  const unknown = asked.words.filter((_, index) => (lexicon.counts.get(asked.terms[index] ?? 0) ?? 0) <= 0)
  const meant = await correctedWords(db, unknown)
  if (meant.size === 0) return { asked, lexicon }
  const read = respelled(asked, meant)
  return { asked: read, lexicon: await readLexicon(db, read.terms) }
}

/** The question's vectors and what is nearest to them. */
async function findNear(needs: AnswerNeeds, asked: Asked, where: Sql, limit: number) {
  const embedded = await embedQuestion(needs, asked)
  if (embedded === undefined) return { embedded, near: [] }
  const { model, vector } = embedded
  return { embedded, near: await needs.db.search.nearest({ model, vector, where, limit }) }
}

/** The question's vectors; undefined where no embedder works, which leaves search by words. */
async function embedQuestion(
  { embedder, log }: AnswerNeeds,
  { text }: Asked,
): Promise<EmbeddedQuestion | undefined> {
  if (embedder === undefined || embedder.reads?.(text) === false) return undefined
  try {
    const [embedded] = await embedder.embed([text], { tokens: true, urgent: true, question: true })
    return embedded ? { ...embedded, model: embedder.model } : undefined
  } catch (error) {
    log.warn("Searching by words only", { reason: messageOf(error) })
    return undefined
  }
}

type EmbeddedQuestion = Embedded & { model: string }

/** Never more than this many candidates of one kind. */
const mostCandidates = 200

/** A number of candidates: as the recipe says, or twice what is wanted. */
function atLeast(usual: number, wanted: number): number {
  return Math.max(usual, Math.min(2 * wanted, mostCandidates))
}

interface Question {
  asked: Asked
  lexicon: Lexicon
  embedded: EmbeddedQuestion | undefined
  gist: Gist | undefined
}

/** Of a long question: how far its gist counts, and what stands around the candidates. */
interface Gist {
  share: number
  stretchOf: StretchOf
}

function gistOf(recipe: Recipe, asked: Asked, pool: Pool): Gist | undefined {
  const share = gistShare(recipe, asked)
  return share === 0 ? undefined : { share, stretchOf: stretchesOf([...pool.values()]) }
}

/** A first ranking again, with the sessions of its best as a whole, where the gist counts. */
async function rankByGist(
  { db, recipe }: AnswerNeeds,
  where: Sql,
  { asked, lexicon, embedded, gist }: Question,
  first: Ranked[],
): Promise<Ranked[]> {
  if (gist === undefined) return first
  const bm25 = createBm25(asked.terms, lexicon, recipe.gist.bm25)
  const best = bestStretches(first, gist.stretchOf, recipe.gist.stretches)
  const read = await readStretches(db, where, bm25, embedded, best)
  addStretches(first, gist.stretchOf, bm25, read)
  return rankBy(withGist(recipe, gist.share, recipe.first), first)
}

/** Whether it stands by itself, not among the messages of a conversation. */
function isNote(pool: Pool, one: Ranked | undefined): boolean {
  return one !== undefined && [-1, 1].every((step) => pool.beside(one.candidate, step) === undefined)
}

/** How much of a list stands by itself, 0 to 1. */
function notesShare(pool: Pool, list: readonly Ranked[]): number {
  return list.length === 0 ? 0 : list.filter((one) => isNote(pool, one)).length / list.length
}

/** What a list is ranked by at last, of which that share stands by itself: no neighbours speak for a note. */
function finalWeights({ final, notes }: Recipe, share: number): FeatureWeights {
  const { speaker, date, time, question, ...rest } = final
  const times = (weights: object, factor: number) =>
    Object.fromEntries(Object.entries(weights).map(([name, weight]) => [name, factor * weight]))
  return { ...times(rest, 1 - share), ...times(notes, share), speaker, date, time, question }
}

/** The short list and the messages around it, whose word pieces count a little for it. */
function withNeighbours(pool: Pool, list: readonly Ranked[]): Candidate[] {
  const wanted = new Set<Candidate>()
  for (const { candidate } of list) {
    wanted.add(candidate)
    for (const step of [-2, -1, 1, 2]) {
      const other = pool.beside(candidate, step)
      if (other) wanted.add(other)
    }
  }
  return [...wanted]
}

/** The gist of a long question counts as far as what was found stands in sessions with other things that were. */
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

/** How much of a list stands in a stretch with others, 0 to 1. */
function togetherShare({ stretchOf }: Gist, list: readonly Ranked[]): number {
  const together = list.filter(({ candidate }) => (stretchOf.get(candidate)?.candidates.length ?? 0) > 1)
  return list.length === 0 ? 0 : together.length / list.length
}

/** What did not come onto the short list, in its order behind the last of it: its own scores are of another kind. */
function behind(last: Ranked | undefined, rest: readonly Ranked[]): Ranked[] {
  const from = last === undefined ? 0 : last.score - last.setBack
  return rest.map((one, index) => ({ ...one, score: from - 0.001 * (index + 1) }))
}
