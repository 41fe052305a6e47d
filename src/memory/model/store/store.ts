import { searchText } from "../../../storage/search.ts"
import { plainSql, type Sql, sql, sqlList, sqlRows } from "../../../storage/sql.ts"
import type { Reader, Transaction } from "../../../storage/transaction.ts"
import { contentKey, type Memory } from "../memory.ts"
import { forgetTerms, indexTerms } from "../words/word-index.ts"
import { batchesOf } from "./batch.ts"

/** The columns of a memory, named as the type names them. */
const columns = sql`
  m.id as id, m.version as version, m.content as content, m.type as type, m.scope as scope,
  m.project as project, m.status as status, m.superseded_by as "supersededBy",
  m.source as source, m.source_id as "sourceId", m.session_id as "sessionId",
  m.message_index as "messageIndex", m.created_at as "createdAt", m.updated_at as "updatedAt",
  m.accessed_at as "accessedAt", m.verified_at as "verifiedAt", m.access_count as "accessCount",
  m.strength as strength, m.confidence as confidence, m.trust as trust, m.audience as audience,
  m.triggers as triggers, m.details as details`

/** A row of these columns. */
type MemoryRow = Omit<Memory, "tags" | "triggers" | "details"> & { triggers: string | null; details: string }

/** The name under which a tag stands in the graph. */
export function tagNode(tag: string): string {
  return `tag:${tag}`
}

/** Reads memories that fulfil a condition on `memories m`, with their tags. */
export async function selectMemories(on: Reader, where: Sql, rest: Sql = sql``): Promise<Memory[]> {
  const rows = await on.read<MemoryRow>(sql`select ${columns} from memories m where ${where} ${rest}`)
  const tags = await tagsOf(
    on,
    rows.map((row) => row.id),
  )
  return rows.map((row) => ({
    ...row,
    tags: tags.get(row.id) ?? [],
    triggers: row.triggers === null ? [] : JSON.parse(row.triggers),
    details: JSON.parse(row.details),
  }))
}

/** A memory's id, with its number in the order of storing. */
export interface NumberedMemory {
  seq: number
  id: string
}

/** The next memories after a number that fulfil a condition on `memories m`, in their order. */
export function memoriesAfter(
  on: Reader,
  where: Sql,
  after: number,
  limit: number,
): Promise<NumberedMemory[]> {
  return on.read<NumberedMemory>(sql`
    select m.seq as seq, m.id as id from memories m where ${where} and m.seq > ${after}
    order by m.seq limit ${limit}`)
}

/** The condition on `memories m` for what was made after one, in the order of time and id; for all without one. */
export function madeAfter(last: Pick<Memory, "id" | "createdAt"> | undefined): Sql {
  if (last === undefined) return sql`true`
  const { id, createdAt } = last
  return sql`(m.created_at > ${createdAt} or (m.created_at = ${createdAt} and m.id > ${id}))`
}

/** Memories by their whole ids, in no order. */
export async function findMemories(on: Reader, ids: readonly string[]): Promise<Map<string, Memory>> {
  const found = ids.length === 0 ? [] : await selectMemories(on, sql`m.id in ${sqlList(ids)}`)
  return new Map(found.map((memory) => [memory.id, memory]))
}

/** One memory by its whole id. */
export async function findMemory(on: Reader, id: string): Promise<Memory | undefined> {
  const [memory] = await selectMemories(on, sql`m.id = ${id}`)
  return memory
}

async function tagsOf(on: Reader, ids: readonly string[]): Promise<Map<string, string[]>> {
  const tags = new Map<string, string[]>()
  for (const some of batchesOf(ids)) {
    const rows = await on.read<{ source: string; target: string }>(sql`
      select source, target from edges
      where kind = 'has-tag' and source in ${sqlList(some)} order by source, target`)
    for (const row of rows) {
      const known = tags.get(row.source) ?? []
      known.push(row.target.slice("tag:".length))
      tags.set(row.source, known)
    }
  }
  return tags
}

/** What a memory is to be from now on; null removes it. */
export interface Put {
  id: string
  image: Memory | null
  /** It is known not to be there yet. */
  isNew?: boolean
}

/** Makes the store hold exactly these images. The journal is the caller's part. */
export async function putMemories(transaction: Transaction, puts: readonly Put[]): Promise<void> {
  const removed = puts.filter((put) => put.image === null).map((put) => put.id)
  const images = puts.flatMap((put) => (put.image === null ? [] : [put.image]))
  const known = puts.filter((put) => put.image !== null && !put.isNew).map((put) => put.id)
  const rewritten = await withOtherText(transaction, images, known)
  await forgetTerms(transaction, [...removed, ...rewritten])
  if (removed.length > 0) {
    const ids = sqlList(removed)
    await transaction.run(sql`delete from edges where source in ${ids}`)
    await transaction.run(sql`delete from edges where target in ${ids}`)
    await transaction.run(sql`delete from memories where id in ${ids}`)
  }
  if (known.length > 0) {
    await transaction.run(sql`delete from edges where kind = 'has-tag' and source in ${sqlList(known)}`)
  }
  if (rewritten.size > 0) await forgetVectors(transaction, [...rewritten])
  await upsertRows(transaction, images)
  const isNew = new Set(puts.filter((put) => put.isNew).map((put) => put.id))
  await indexTerms(
    transaction,
    images.filter(({ id }) => isNew.has(id) || rewritten.has(id)),
  )
  await addTags(transaction, images)
}

/** The ids among these whose text is another in the store, or that are not there. */
async function withOtherText(
  transaction: Transaction,
  images: readonly Memory[],
  known: readonly string[],
): Promise<Set<string>> {
  if (known.length === 0) return new Set()
  const rows = await transaction.read<{ id: string; content: string }>(
    sql`select id, content from memories where id in ${sqlList(known)}`,
  )
  const texts = new Map(rows.map((row) => [row.id, row.content]))
  const ids = new Set(known)
  const other = images.filter(({ id, content }) => ids.has(id) && texts.get(id) !== content)
  return new Set(other.map(({ id }) => id))
}

/** A memory that says something else now points somewhere else, and belongs to another cluster or none. */
async function forgetVectors(transaction: Transaction, ids: readonly string[]): Promise<void> {
  const seqs = sql`select seq from memories where id in ${sqlList(ids)}`
  await transaction.run(sql`delete from edges where kind = 'in-cluster' and source in ${sqlList(ids)}`)
  await transaction.run(sql`delete from token_vectors where seq in (${seqs})`)
  await transaction.run(sql`delete from vectors where seq in (${seqs})`)
}

/** The columns that change with a memory, and where their values come from. */
const fields: Record<string, (memory: Memory) => string | number | null> = {
  version: (memory) => memory.version,
  content: (memory) => memory.content,
  search_text: (memory) => searchText(memory.content),
  content_key: (memory) => contentKey(memory.content),
  type: (memory) => memory.type,
  scope: (memory) => memory.scope,
  project: (memory) => memory.project,
  status: (memory) => memory.status,
  superseded_by: (memory) => memory.supersededBy,
  source: (memory) => memory.source,
  source_id: (memory) => memory.sourceId,
  session_id: (memory) => memory.sessionId,
  message_index: (memory) => memory.messageIndex,
  created_at: (memory) => memory.createdAt,
  updated_at: (memory) => memory.updatedAt,
  accessed_at: (memory) => memory.accessedAt,
  verified_at: (memory) => memory.verifiedAt,
  access_count: (memory) => memory.accessCount,
  strength: (memory) => memory.strength,
  confidence: (memory) => memory.confidence,
  trust: (memory) => memory.trust,
  audience: (memory) => memory.audience,
  triggers: (memory) => (memory.triggers.length === 0 ? null : JSON.stringify(memory.triggers)),
  details: (memory) => JSON.stringify(memory.details),
}

const columnNames = Object.keys(fields)
const insertMemories = plainSql(`insert into memories (id, ${columnNames.join(", ")}) values `)
const updateMemories = plainSql(
  ` on conflict (id) do update set ${columnNames.map((name) => `${name} = excluded.${name}`).join(", ")}`,
)

async function upsertRows(transaction: Transaction, memories: readonly Memory[]): Promise<void> {
  if (memories.length === 0) return
  const rows = memories.map((memory) => [memory.id, ...Object.values(fields).map((pick) => pick(memory))])
  await transaction.run(sql`${insertMemories}${sqlRows(rows)}${updateMemories}`)
}

async function addTags(transaction: Transaction, memories: readonly Memory[]): Promise<void> {
  const rows = memories.flatMap((memory) =>
    memory.tags.map((tag) => [memory.id, "has-tag", tagNode(tag), 1, memory.createdAt]),
  )
  if (rows.length === 0) return
  await transaction.run(
    sql`insert into edges (source, kind, target, weight, created_at) values ${sqlRows(rows)} on conflict do nothing`,
  )
}
