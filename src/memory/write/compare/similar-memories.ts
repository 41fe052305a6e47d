import type { Embedder } from "../../../embedding/embedder.ts"
import type { PairRelation } from "../../../judgement/judgement.ts"
import { closeMatch, relate } from "../../../language/compare/relate.ts"
import type { Relation } from "../../../language/compare/relation.ts"
import { differInCase } from "../../../language/read/letter-case.ts"
import { termOf } from "../../../language/terms.ts"
import type { Database } from "../../../storage/database.ts"
import { type Found, searchTerms } from "../../../storage/search.ts"
import { type Sql, sql, sqlList } from "../../../storage/sql.ts"
import { rareWords } from "../../find/rare-words.ts"
import { contentKey, type Memory } from "../../model/memory.ts"
import { sameScope, scopeKey } from "../../model/scope.ts"
import { batchesOf } from "../../model/store/batch.ts"
import { selectMemories } from "../../model/store/store.ts"
import { type ComparableText, comparableText, wordOverlap } from "../../model/words/comparable-text.ts"
import { readLexicon } from "../../model/words/word-index.ts"

/** A stored memory that may concern a new one, and how the two relate. */
export interface SimilarMemory {
  memory: Memory
  /** The cosine of their embeddings; undefined if one has none. */
  similarity: number | undefined
  /** A cosine that is too low for rules; the trained model may still find a relation. */
  faint?: number | undefined
  relation: Relation
  /** The trained model's answer about the older and the newer of the two; undefined if it was not asked. */
  judged?: Record<PairRelation, number> | undefined
}

/** At most this many candidates by similarity, and by shared words. */
const nearest = 12
const sharing = 8
/** Only words that together match at most this many memories are searched for. */
const mostSharing = 1500
/** A text of more words is compared by similarity only. */
const longestStatement = 60

/** The condition on `memories m` for what new memories are compared with. */
export const isComparable = sql`m.status in ('active', 'quarantined')`

/** A new memory, and its vector if there is an embedder. */
export interface NewMemory {
  memory: Memory
  vector: Float32Array | undefined
}

/** The embedding model, with the cosines from which rules and the trained model compare two texts. */
interface ComparisonModel {
  name: string
  related: number
  /** Undefined where there is no trained model. */
  asked?: number | undefined
}

/** How texts are compared with this embedder. */
export function comparisonModel(embedder: Embedder | undefined): ComparisonModel | undefined {
  const asked = embedder?.judge?.card.thresholds.compared
  return embedder && { name: embedder.model, related: embedder.similarity.related, asked }
}

interface Comparison {
  db: Database
  model: ComparisonModel | undefined
}

/** Candidates with their cosine where it is known. */
type Candidates = Map<string, number | undefined>

/** The memories of the same scope that a new one may repeat or contradict. */
export async function findSimilarTo(needs: Comparison, newMemory: NewMemory): Promise<SimilarMemory[]> {
  const { memory, vector } = newMemory
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
    const [similar = []] = await relateAll(needs.db, where, [newMemory], [candidates])
    // Rules do not decide about candidates of the trained model.
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
  // The cosines of the others take longer to find, so they are searched for only where they can matter.
  const isOpen = similar.some(
    ({ similarity, relation }) => similarity === undefined && relation.kind !== "differs",
  )
  return isOpen ? relateTo(await needs.db.search.nearest({ ...search, vector })) : similar
}

/** Candidates below the threshold of the rules and above that of the trained model. */
function faintOf({ model }: Comparison, near: readonly Found[], candidates: Candidates): Map<string, number> {
  const least = model?.asked
  if (least === undefined) return new Map()
  return new Map(
    near
      .filter(({ id, score }) => score >= least && candidates.get(id) === undefined)
      .map(({ id, score }) => [id, score]),
  )
}

/** The same for many at once, in their order. Memories with a vector are not searched by words: that would take too long. */
export async function findSimilarToMany(
  needs: Comparison,
  newMemories: readonly NewMemory[],
): Promise<SimilarMemory[][]> {
  const found = new Map<NewMemory, SimilarMemory[]>()
  for (const group of Map.groupBy(newMemories, ({ memory }) => scopeKey(memory)).values()) {
    const [first] = group
    if (first === undefined) continue
    const where = comparableIn(first.memory)
    const candidates = await candidatesOfMany(needs, group, where)
    const similar = await relateAll(needs.db, where, group, candidates)
    group.forEach((newMemory, index) => {
      found.set(newMemory, similar[index] ?? [])
    })
  }
  return newMemories.map((newMemory) => found.get(newMemory) ?? [])
}

async function candidatesOfMany(
  { db, model }: Comparison,
  group: readonly NewMemory[],
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

/** Reads the candidates of new memories of one scope, and those with the same text, and relates them. */
async function relateAll(
  db: Database,
  where: Sql,
  newMemories: readonly NewMemory[],
  candidates: readonly Candidates[],
): Promise<SimilarMemory[][]> {
  const texts = newMemories.map(({ memory }) => comparableText(memory.content))
  const keys = texts.map(({ key }) => key)
  const known = new Map<string, Memory>()
  for (const ids of batchesOf([...new Set(candidates.flatMap((each) => [...each.keys()]))])) {
    for (const one of await selectMemories(db, sql`m.id in ${sqlList(ids)} and ${where}`)) {
      known.set(one.id, one)
    }
  }
  const alike = new Map<string, Memory[]>()
  const wordings = new Map<string, ComparableText>()
  for (const some of batchesOf([...new Set(keys)])) {
    for (const one of await selectMemories(db, sql`m.content_key in ${sqlList(some)} and ${where}`)) {
      known.set(one.id, one)
      const key = contentKey(one.content)
      alike.set(key, [...(alike.get(key) ?? []), one])
    }
  }
  for (const { id, content } of known.values()) wordings.set(id, comparableText(content))
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
  known: ComparableText,
  text: ComparableText,
  similarity: number | undefined,
): SimilarMemory {
  if (known.key === text.key && !differInCase(known.content, text.content)) {
    return { memory, similarity: 1, relation: { kind: "same" } }
  }
  const relation = mayMeet(known, text)
    ? relate(known.content, text.content, similarity)
    : ({ kind: "differs" } as const)
  return { memory, similarity, relation }
}

/** Texts that share less than this of their words neither repeat nor contradict each other. */
const leastShared = 0.15

/** A quick check before the thorough one. */
function mayMeet(a: ComparableText, b: ComparableText): boolean {
  return a.isWordless || b.isWordless || wordOverlap(a.terms, b.terms) >= leastShared
}

async function sharingWords(db: Database, { content }: Memory, where: Sql): Promise<Candidates> {
  const words = searchTerms(content)
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
