import { joinSql, type Sql, sql, sqlList } from "../storage/sql.ts"
import type { Reader, Transaction } from "../storage/transaction.ts"
import { contentKey, type Memory } from "./memory.ts"

/** The columns of a memory, named as the type names them. */
const columns = sql`
  m.id as id, m.version as version, m.content as content, m.type as type, m.scope as scope,
  m.project as project, m.status as status, m.superseded_by as "supersededBy",
  m.source as source, m.source_id as "sourceId", m.session_id as "sessionId",
  m.message_index as "messageIndex", m.created_at as "createdAt", m.updated_at as "updatedAt",
  m.accessed_at as "accessedAt", m.verified_at as "verifiedAt", m.access_count as "accessCount",
  m.strength as strength, m.confidence as confidence, m.trust as trust`

/** The name under which a tag stands in the graph. */
export function tagNode(tag: string): string {
  return `tag:${tag}`
}

/** Reads memories that fulfil a condition on `memories m`, with their tags. */
export async function selectMemories(on: Reader, where: Sql, rest: Sql = sql``): Promise<Memory[]> {
  const rows = await on.read<Omit<Memory, "tags">>(
    sql`select ${columns} from memories m where ${where} ${rest}`,
  )
  const tags = await tagsOf(
    on,
    rows.map((row) => row.id),
  )
  return rows.map((row) => ({ ...row, tags: tags.get(row.id) ?? [] }))
}

/** One memory by its whole id. */
export async function findMemory(on: Reader, id: string): Promise<Memory | undefined> {
  const [memory] = await selectMemories(on, sql`m.id = ${id}`)
  return memory
}

async function tagsOf(on: Reader, ids: readonly string[]): Promise<Map<string, string[]>> {
  const tags = new Map<string, string[]>()
  for (let from = 0; from < ids.length; from += 500) {
    const rows = await on.read<{ source: string; target: string }>(sql`
      select source, target from edges
      where kind = 'has-tag' and source in ${sqlList(ids.slice(from, from + 500))} order by source, target`)
    for (const row of rows) {
      const known = tags.get(row.source) ?? []
      known.push(row.target.slice("tag:".length))
      tags.set(row.source, known)
    }
  }
  return tags
}

/** Makes the store hold exactly this image of a memory: null removes it. The journal is the caller's part. */
export async function putMemory(
  transaction: Transaction,
  id: string,
  image: Memory | null,
  options: { isNew?: boolean } = {},
): Promise<void> {
  if (image === null) {
    await transaction.run(sql`delete from edges where source = ${id} or target = ${id}`)
    await transaction.run(sql`delete from memories where id = ${id}`)
    return
  }
  await upsertRow(transaction, image)
  if (!options.isNew) await dropOtherTags(transaction, image)
  await addTags(transaction, image)
}

/** The columns that change with a memory, and where their values come from. */
const fields: Record<string, (memory: Memory) => string | number | null> = {
  version: (memory) => memory.version,
  content: (memory) => memory.content,
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
}

/** The text of the upsert around its values, which is the same for every memory. */
const upsertParts = [
  `insert into memories (id, ${Object.keys(fields).join(", ")}) values (`,
  ...Object.keys(fields).map(() => ", "),
  `) on conflict (id) do update set ${Object.keys(fields)
    .map((name) => `${name} = excluded.${name}`)
    .join(", ")}`,
]

async function upsertRow(transaction: Transaction, memory: Memory): Promise<void> {
  const values = Object.values(fields).map((pick) => pick(memory))
  await transaction.run({ parts: upsertParts, values: [memory.id, ...values] })
}

async function dropOtherTags(transaction: Transaction, memory: Memory): Promise<void> {
  const wanted = memory.tags.map(tagNode)
  await transaction.run(sql`
    delete from edges where source = ${memory.id} and kind = 'has-tag' and target not in ${sqlList(["", ...wanted])}`)
}

async function addTags(transaction: Transaction, memory: Memory): Promise<void> {
  if (memory.tags.length === 0) return
  const rows = memory.tags.map(
    (tag) => sql`(${memory.id}, 'has-tag', ${tagNode(tag)}, 1, ${memory.createdAt})`,
  )
  await transaction.run(sql`
    insert into edges (source, kind, target, weight, created_at) values ${joinSql(rows, sql`, `)} on conflict do nothing`)
}
