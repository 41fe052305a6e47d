import type { Database } from "../storage/database.ts"
import { wordsOf } from "../storage/search.ts"
import { type Sql, sql, sqlList } from "../storage/sql.ts"
import { relate } from "./contradiction/relate.ts"
import type { Kin } from "./decide.ts"
import { readLexicon } from "./lexicon.ts"
import { contentKey, type Memory } from "./memory.ts"
import { rareWords } from "./retrieval/rare-words.ts"
import { selectMemories } from "./store.ts"
import { termOf, termsOf } from "./terms.ts"

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

interface KinNeeds {
  db: Database
  /** The embedding model, and how alike two texts must be to have to do with each other. */
  model: { name: string; related: number } | undefined
  /** Shared words are not looked for where there is a vector: for imports, where that would take long. */
  byMeaningOnly: boolean
}

/** The memories of the same place that a new one may repeat or oppose: active ones, and those in quarantine. */
export async function findKin(needs: KinNeeds, { memory, vector }: Newcomer): Promise<Kin[]> {
  const where = sql`${isComparable} and ${samePlace(memory)}`
  const similarity = new Map<string, number | undefined>()
  if (!(vector && needs.byMeaningOnly)) {
    for (const id of await sharingWords(needs.db, memory, where)) similarity.set(id, undefined)
  }
  if (vector && needs.model) {
    const query = { model: needs.model.name, vector, where, limit: nearest }
    for (const { id, score } of await needs.db.search.nearest(query)) {
      if (score >= needs.model.related || similarity.has(id)) similarity.set(id, score)
    }
  }
  const key = sql`m.content_key = ${contentKey(memory.content)}`
  const ids = sqlList([...similarity.keys()])
  const found = await selectMemories(needs.db, sql`(m.id in ${ids} or ${key}) and ${where}`)
  return found.map((known) => kinOf(known, memory, similarity.get(known.id)))
}

/** How a known memory and a new one relate. */
export function kinOf(known: Memory, memory: Memory, similarity: number | undefined): Kin {
  if (contentKey(known.content) === contentKey(memory.content)) {
    return { memory: known, similarity: 1, relation: { kind: "same" } }
  }
  const relation = mayMeet(known.content, memory.content)
    ? relate(known.content, memory.content, similarity === undefined ? {} : { similarity })
    : ({ kind: "differs" } as const)
  return { memory: known, similarity, relation }
}

/** Texts that share less than this of their telling words neither repeat nor oppose each other. */
const leastShared = 0.2

/** A quick look before the thorough one. Scripts without spaces have no words to share. */
function mayMeet(a: string, b: string): boolean {
  const isWordless = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u
  return isWordless.test(a + b) || sharedWords(new Set(termsOf(a)), new Set(termsOf(b))) >= leastShared
}

/** The share of their words that two texts have in common. */
export function sharedWords(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  let shared = 0
  for (const term of a) if (b.has(term)) shared += 1
  return shared / Math.max(1, a.size + b.size - shared)
}

async function sharingWords(db: Database, { content }: Memory, where: Sql): Promise<string[]> {
  const words = wordsOf(content)
  if (words.length === 0 || words.length > longestStatement) return []
  const lexicon = await readLexicon(db, words.map(termOf))
  const found = await db.search.fullText({
    words: rareWords(words, lexicon, mostSharing),
    where,
    limit: sharing,
  })
  return found.map(({ id }) => id)
}

/** The condition on `memories m` for the place of a memory: what belongs elsewhere neither repeats nor opposes it. */
function samePlace({ scope, project, sessionId, audience }: Memory): Sql {
  const inProject = project === null ? sql`m.project is null` : sql`m.project = ${project}`
  const inSession = scope === "session" ? sql`m.session_id = ${sessionId}` : sql`true`
  const among = audience === null ? sql`m.audience is null` : sql`m.audience = ${audience}`
  return sql`(m.scope = ${scope} and ${inProject} and ${inSession} and ${among})`
}

/** Whether two memories are in the same place. */
export function isSamePlace(a: Memory, b: Memory): boolean {
  const sameSession = a.scope !== "session" || a.sessionId === b.sessionId
  return a.scope === b.scope && a.project === b.project && a.audience === b.audience && sameSession
}
