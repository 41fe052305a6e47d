import type { PairRelation } from "../../../judgement/judgement.ts"
import { closeMatch, relate } from "../../../language/compare/relate.ts"
import type { Relation } from "../../../language/compare/relation.ts"
import { differInLetters } from "../../../language/read/letter-case.ts"
import { termOf } from "../../../language/terms.ts"
import type { Database } from "../../../storage/database.ts"
import { type Found, wordsOf } from "../../../storage/search.ts"
import { type Sql, sql, sqlList } from "../../../storage/sql.ts"
import { rareWords } from "../../find/rare-words.ts"
import { contentKey, type Memory } from "../../model/memory.ts"
import { sameScope, scopeKey } from "../../model/scope.ts"
import { batchesOf } from "../../model/store/batch.ts"
import { selectMemories } from "../../model/store/store.ts"
import { readLexicon } from "../../model/words/word-index.ts"
import { sharedWords, type Wording, wordingOf } from "../../model/words/wording.ts"

/** A memory that may have to do with a new one, and how the two relate. */
export interface SimilarMemory {
  memory: Memory
  /** The cosine of their embeddings; undefined where one has none. */
  similarity: number | undefined
  /** The cosine where it is too low for rules to look at; the trained model may see more in it. */
  faint?: number | undefined
  relation: Relation
  /** What the trained model says of the older and the newer of the two; undefined where it was not asked. */
  judged?: Record<PairRelation, number> | undefined
}

/** How many memories are looked at because they are near in meaning, and because they share words. */
const nearest = 12
const sharing = 8
/** Only words that together match no more memories than this are shared words worth looking at. */
const mostSharing = 1500
/** A longer text is no single statement; it is compared by meaning only. */
const longestStatement = 60

/** The condition on `memories m` for what new memories are compared with. */
export const isComparable = sql`m.status in ('active', 'quarantined')`

/** A new memory, and its vector if there is an embedder. */
export interface Newcomer {
  memory: Memory
  vector: Float32Array | undefined
}

interface SimilarNeeds {
  db: Database
  /** The embedding model, and how alike two texts must be to have to do with each other. */
  model:
    | {
        name: string
        related: number
        /** From here on the trained model is asked about two texts; undefined where there is none. */
        asked?: number | undefined
      }
    | undefined
}

/** Memories that may have to do with a new one, with their cosine where it is known. */
type Candidates = Map<string, number | undefined>

/** The memories of the same scope that a new one may repeat or oppose: active ones, and those in quarantine. */
export async function findSimilarTo(needs: SimilarNeeds, newcomer: Newcomer): Promise<SimilarMemory[]> {
  const { memory, vector } = newcomer
  const where = comparableIn(memory)
  const sharing = await sharingWords(needs.db, memory, where)
  const relateTo = async (near: readonly Found[], ruled = 0) => {
    const candidates = new Map(sharing)
    for (const { id, score } of near) {
      const isNear = score >= (needs.model?.related ?? 1)
      if (isNear || (sharing.has(id) && score >= ruled)) candidates.set(id, score)
    }
    const faint = faintOf(needs, near, candidates)
    for (const id of faint.keys()) if (!candidates.has(id)) candidates.set(id, undefined)
    const [similar = []] = await relateAll(needs.db, where, [newcomer], [candidates])
    // Rules know nothing of what only the trained model is asked about.
    return similar.flatMap((one) => {
      const score = faint.get(one.memory.id)
      const isForRules = score === undefined || sharing.has(one.memory.id)
      return isForRules || one.relation.kind === "differs" ? [{ ...one, faint: score }] : []
    })
  }
  if (vector === undefined || needs.model === undefined) return relateTo([])
  const { name: model, related } = needs.model
  const search = { model, where, limit: nearest }
  const ruled = Math.min(related, closeMatch)
  const least = Math.min(needs.model.asked ?? ruled, ruled)
  const [near = []] = await needs.db.search.nearestEach({ ...search, vectors: [vector], least })
  const similar = await relateTo(near, ruled)
  // How alike the others are is looked up, which takes longer, only where it can matter.
  const isOpen = similar.some(
    ({ similarity, relation }) => similarity === undefined && relation.kind !== "differs",
  )
  return isOpen ? relateTo(await needs.db.search.nearest({ ...search, vector })) : similar
}

/** What is too far for rules and near enough for the trained model. */
function faintOf(
  { model }: SimilarNeeds,
  near: readonly Found[],
  candidates: Candidates,
): Map<string, number> {
  const least = model?.asked
  if (least === undefined) return new Map()
  return new Map(
    near
      .filter(({ id, score }) => score >= least && candidates.get(id) === undefined)
      .map(({ id, score }) => [id, score]),
  )
}

/**
 * The same for many at once, in their order. Shared words are not looked for where there is a vector, since that
 * would take long.
 */
export async function findKinOfMany(
  needs: SimilarNeeds,
  newcomers: readonly Newcomer[],
): Promise<SimilarMemory[][]> {
  const found = new Map<Newcomer, SimilarMemory[]>()
  for (const group of Map.groupBy(newcomers, ({ memory }) => scopeKey(memory)).values()) {
    const [first] = group
    if (first === undefined) continue
    const where = comparableIn(first.memory)
    const candidates = await candidatesOfMany(needs, group, where)
    const similar = await relateAll(needs.db, where, group, candidates)
    group.forEach((newcomer, index) => {
      found.set(newcomer, similar[index] ?? [])
    })
  }
  return newcomers.map((newcomer) => found.get(newcomer) ?? [])
}

async function candidatesOfMany(
  { db, model }: SimilarNeeds,
  group: readonly Newcomer[],
  where: Sql,
): Promise<Candidates[]> {
  const withVector = group.flatMap(({ vector }) => vector ?? [])
  const near =
    model === undefined
      ? []
      : await db.search.nearestEach({
          model: model.name,
          vectors: withVector,
          where,
          limit: nearest,
          least: model.related,
        })
  const candidates: Candidates[] = []
  let next = 0
  for (const { memory, vector } of group) {
    const byMeaning = vector === undefined ? undefined : (near[next++] ?? [])
    candidates.push(
      byMeaning === undefined
        ? await sharingWords(db, memory, where)
        : new Map(byMeaning.map(({ id, score }) => [id, score])),
    )
  }
  return candidates
}

/** Reads the candidates of new memories of one scope, and those with the same text, and tells how they relate. */
async function relateAll(
  db: Database,
  where: Sql,
  newcomers: readonly Newcomer[],
  candidates: readonly Candidates[],
): Promise<SimilarMemory[][]> {
  const texts = newcomers.map(({ memory }) => wordingOf(memory.content))
  const keys = texts.map(({ key }) => key)
  const known = new Map<string, Memory>()
  for (const ids of batchesOf([...new Set(candidates.flatMap((each) => [...each.keys()]))])) {
    for (const one of await selectMemories(db, sql`m.id in ${sqlList(ids)} and ${where}`)) {
      known.set(one.id, one)
    }
  }
  const alike = new Map<string, Memory[]>()
  const wordings = new Map<string, Wording>()
  for (const some of batchesOf([...new Set(keys)])) {
    for (const one of await selectMemories(db, sql`m.content_key in ${sqlList(some)} and ${where}`)) {
      known.set(one.id, one)
      const key = contentKey(one.content)
      alike.set(key, [...(alike.get(key) ?? []), one])
    }
  }
  for (const { id, content } of known.values()) wordings.set(id, wordingOf(content))
  return texts.map((text, index) => {
    const own = candidates[index] ?? new Map<string, number | undefined>()
    const ids = new Set([...own.keys(), ...(alike.get(text.key) ?? []).map(({ id }) => id)])
    return [...ids].sort().flatMap((id) => {
      const [memory, wording] = [known.get(id), wordings.get(id)]
      return memory && wording ? [similarTo(memory, wording, text, own.get(id))] : []
    })
  })
}

/** How a known memory and a new text relate. */
export function similarTo(
  memory: Memory,
  known: Wording,
  text: Wording,
  similarity: number | undefined,
): SimilarMemory {
  if (known.key === text.key && !differInLetters(known.content, text.content)) {
    return { memory, similarity: 1, relation: { kind: "same" } }
  }
  const relation = mayMeet(known, text)
    ? relate(known.content, text.content, similarity === undefined ? {} : { similarity })
    : ({ kind: "differs" } as const)
  return { memory, similarity, relation }
}

/** Texts that share less than this of their telling words neither repeat nor oppose each other. */
const leastShared = 0.15

/** A quick look before the thorough one. */
function mayMeet(a: Wording, b: Wording): boolean {
  return a.isWordless || b.isWordless || sharedWords(a.terms, b.terms) >= leastShared
}

async function sharingWords(db: Database, { content }: Memory, where: Sql): Promise<Candidates> {
  const words = wordsOf(content)
  if (words.length === 0 || words.length > longestStatement) return new Map()
  const lexicon = await readLexicon(db, words.map(termOf))
  const found = await db.search.fullText({
    ...rareWords(words, lexicon, mostSharing),
    where,
    limit: sharing,
  })
  return new Map(found.map(({ id }) => [id, undefined]))
}

function comparableIn(memory: Memory): Sql {
  return sql`${isComparable} and ${sameScope(memory)}`
}
