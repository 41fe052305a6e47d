import { searchText } from "../../../storage/search.ts"
import { plainSql, type Sql, sql, sqlList, sqlRows } from "../../../storage/sql.ts"
import type { Reader, Transaction } from "../../../storage/transaction.ts"
import { contentKey, type Memory } from "../memory.ts"
import { indexTerms, unindexTerms } from "../words/word-index.ts"
import { batchesOf } from "./batch.ts"
import { type Edge, putEdges } from "./graph.ts"

/** The columns of a memory, named like its properties. */
const columns = sql`
  m.id as id, m.version as version, m.content as content, m.type as type, m.scope as scope,
  m.project as project, m.status as status, m.superseded_by as "supersededBy",
  m.source as source, m.source_id as "sourceId", m.session_id as "sessionId",
  m.message_index as "messageIndex", m.created_at as "createdAt", m.updated_at as "updatedAt",
  m.accessed_at as "accessedAt", m.verified_at as "verifiedAt", m.access_count as "accessCount",
  m.strength as strength, m.confidence as confidence, m.trust as trust, m.audience as audience,
  m.triggers as triggers, m.details as details`

type MemoryRow = Omit<Memory, "tags" | "triggers" | "details"> & { triggers: string | null; details: string }

/** The graph node of a tag. */
export function tagNode(tag: string): string {
  return `tag:${tag}`
}

/** The memories that match a condition on `memories m`, with their tags. */
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

/** A memory's id and its sequence number, which grows in the order of storing. */
export interface MemorySeq {
  seq: number
  id: string
}

/** The next memories after a sequence number that match a condition on `memories m`, in order. */
export function memoriesAfter(on: Reader, where: Sql, after: number, limit: number): Promise<MemorySeq[]> {
  return on.read<MemorySeq>(sql`
    select m.seq as seq, m.id as id from memories m where ${where} and m.seq > ${after}
    order by m.seq limit ${limit}`)
}

/** The condition on `memories m` for memories after this one in the order of creation time and id; true without one. */
export function createdAfter(last: Pick<Memory, "id" | "createdAt"> | undefined): Sql {
  if (last === undefined) return sql`true`
  const { id, createdAt } = last
  return sql`(m.created_at > ${createdAt} or (m.created_at = ${createdAt} and m.id > ${id}))`
}

/** Memories by their full ids, in no order. */
export async function findMemories(on: Reader, ids: readonly string[]): Promise<Map<string, Memory>> {
  const found = ids.length === 0 ? [] : await selectMemories(on, sql`m.id in ${sqlList(ids)}`)
  return new Map(found.map((memory) => [memory.id, memory]))
}

/** One memory by its full id. */
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

/** The new state of a memory; a null image deletes it. */
export interface MemoryWrite {
  id: string
  image: Memory | null
  /** The caller knows that the memory does not exist yet. */
  isNew?: boolean
}

/** Writes or deletes memories with their index and tags. The caller writes the journal. */
export async function writeMemories(transaction: Transaction, puts: readonly MemoryWrite[]): Promise<void> {
  const removed = puts.filter((put) => put.image === null).map((put) => put.id)
  const images = puts.flatMap((put) => (put.image === null ? [] : [put.image]))
  const known = puts.filter((put) => put.image !== null && !put.isNew).map((put) => put.id)
  const rewritten = await idsWithChangedText(transaction, images, known)
  await unindexTerms(transaction, [...removed, ...rewritten])
  if (removed.length > 0) {
    const ids = sqlList(removed)
    await transaction.run(sql`delete from edges where source in ${ids}`)
    await transaction.run(sql`delete from edges where target in ${ids}`)
    await transaction.run(sql`delete from memories where id in ${ids}`)
  }
  if (known.length > 0) {
    await transaction.run(sql`delete from edges where kind = 'has-tag' and source in ${sqlList(known)}`)
  }
  if (rewritten.size > 0) await deleteVectors(transaction, [...rewritten])
  await upsertRows(transaction, images)
  const isNew = new Set(puts.filter((put) => put.isNew).map((put) => put.id))
  await indexTerms(
    transaction,
    images.filter(({ id }) => isNew.has(id) || rewritten.has(id)),
  )
  await putEdges(transaction, images.flatMap(tagEdges))
}

function tagEdges({ id, tags, createdAt }: Memory): Edge[] {
  return tags.map((tag) => ({ source: id, kind: "has-tag", target: tagNode(tag), weight: 1, createdAt }))
}

/** The ids among `known` whose stored text differs from the image, or that are not stored. */
async function idsWithChangedText(
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

/** Deletes the vectors and cluster membership of memories whose text changed. */
async function deleteVectors(transaction: Transaction, ids: readonly string[]): Promise<void> {
  const seqs = sql`select seq from memories where id in ${sqlList(ids)}`
  await transaction.run(sql`delete from edges where kind = 'in-cluster' and source in ${sqlList(ids)}`)
  await transaction.run(sql`delete from token_vectors where seq in (${seqs})`)
  await transaction.run(sql`delete from vectors where seq in (${seqs})`)
}

/** The columns that are written with a memory, and their values. */
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
