import { yieldToEventLoop } from "../../base/clock.ts"
import type { Database } from "../../storage/database.ts"
import { readJournal } from "../../storage/journal.ts"
import { selectSubjects } from "../../storage/journal-queries.ts"
import { type Sql, sql, sqlList } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import { type ScopeFields, sameScope, scopeKey } from "../model/scope.ts"
import { pagesOf } from "../model/store/batch.ts"
import { isOwn } from "../model/visibility.ts"
import { decodeTerms } from "../model/words/word-index.ts"
import { promotedKind } from "../write/compare/quarantine.ts"
import { createNearVectors, type NearVectors } from "./similar/near-vectors.ts"
import { createSharedWords, type SharedWords } from "./similar/shared-words.ts"

/** A set of memories that are compared with each other, and with no others. */
export interface GardenScope {
  key: string
  /** The condition on `memories m` for its active memories. */
  where: Sql
  size: number
  project: string | null
}

/** The scopes with at least two active memories, sorted by key; without those of chat communities. */
export async function gardenScopes(on: Reader): Promise<GardenScope[]> {
  const rows = await on.read<ScopeFields & { size: number }>(sql`
    select m.scope as scope, m.project as project, m.audience as audience,
      case when m.scope = 'session' then m.session_id end as "sessionId", count(*) as size
    from memories m where m.status = 'active' and ${isOwn}
    group by m.scope, m.project, m.audience, case when m.scope = 'session' then m.session_id end
    having count(*) > 1`)
  return rows
    .map(({ size, ...scope }) => ({
      key: scopeKey(scope),
      where: sql`m.status = 'active' and ${sameScope(scope)}`,
      size,
      project: scope.project,
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}

/** The kinds of entries after which a memory may have a new text or be active again. */
const textChangeKinds = ["memory.saved", "memory.imported", "memory.edited", "memory.restored", promotedKind]

const isTextChange = sql`(kind in ${sqlList(textChangeKinds)} and imported = 0 and actor <> 'ambient')`

/** Whether anyone but the garden itself added or changed a text since an entry of the journal. */
export async function isChangedSince(on: Reader, entry: number): Promise<boolean> {
  const [change] = await readJournal(on, { after: entry, where: isTextChange, limit: 1 })
  return change !== undefined
}

/** The `seq` of a scope's active memories that were added or changed between two entries of the journal. */
export async function changedBetween(
  on: Reader,
  { where }: GardenScope,
  { since, entry }: { since: number; entry: number },
): Promise<number[]> {
  const rows = await on.read<{ seq: number }>(sql`
    select m.seq as seq from (${selectSubjects(sql`seq > ${since} and seq <= ${entry} and ${isTextChange}`)}) changed
    join memories m on m.id = changed.subject where ${where} order by m.seq`)
  return rows.map(({ seq }) => seq)
}

/** A scope's memories as rows, with the indexes that find similar ones. */
export interface LoadedScope {
  rows: ScopeRow[]
  vectors: NearVectors | undefined
  words: SharedWords
}

export interface ScopeRow {
  seq: number
  id: string
  key: string
  sessionId: string | null
  messageIndex: number | null
}

const rowsAtOnce = 2000
const vectorsAtOnce = 500

/** Reads a whole scope in pages. Uses some hundred bytes and one byte per dimension for each memory. */
export async function loadScope(
  db: Database,
  { where }: GardenScope,
  model: string | undefined,
  signal: AbortSignal,
): Promise<LoadedScope> {
  const rows: ScopeRow[] = []
  const terms: Uint32Array[] = []
  const read = (last: ScopeRow | undefined) =>
    db.read<ScopeRow & { terms: Uint8Array | null }>(sql`
      select m.seq as seq, m.id as id, m.content_key as key, m.session_id as "sessionId",
        m.message_index as "messageIndex", t.terms as terms
      from memories m left join memory_terms t on t.seq = m.seq
      where m.seq > ${last?.seq ?? 0} and ${where} order by m.seq limit ${rowsAtOnce}`)
  for await (const page of pagesOf(rowsAtOnce, read, signal)) {
    for (const { terms: bytes, ...row } of page) {
      rows.push(row)
      terms.push(bytes === null ? new Uint32Array() : decodeTerms(bytes))
    }
  }
  const words = createSharedWords(rows.length)
  for (const [row, own] of terms.entries()) {
    words.put(row, own)
    if (row % rowsAtOnce === 0) await yieldToEventLoop()
  }
  await words.seal()
  const vectors = model === undefined ? undefined : await loadVectors(db, { where, model, rows }, signal)
  return { rows, vectors, words }
}

async function loadVectors(
  db: Database,
  { where, model, rows }: { where: Sql; model: string; rows: readonly ScopeRow[] },
  signal: AbortSignal,
): Promise<NearVectors | undefined> {
  const at = new Map(rows.map(({ id }, row) => [id, row]))
  let vectors: NearVectors | undefined
  const read = (last: { seq: number } | undefined) =>
    db.search.vectorsOf({ model, where, after: last?.seq ?? 0, limit: vectorsAtOnce })
  for await (const page of pagesOf(vectorsAtOnce, read, signal)) {
    for (const { id, vector } of page) {
      vectors ??= createNearVectors(rows.length, vector.length)
      const row = at.get(id)
      if (row !== undefined) vectors.put(row, vector)
    }
  }
  vectors?.seal()
  return vectors
}
