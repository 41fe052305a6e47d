import { isoTime } from "../base/clock.ts"
import type { Database } from "../storage/database.ts"
import { readJournal } from "../storage/journal.ts"
import { sql } from "../storage/sql.ts"
import type { Reader } from "../storage/transaction.ts"
import type { Memory, MemoryDetails } from "./memory.ts"
import { bytesOf, readClusters } from "./organise/store-clusters.ts"
import { selectMemories } from "./store.ts"

/** The name in the first lines of a lossless export. */
export const exportFormat = "reverie-memory"

const pageSize = 500

/** A memory as the export and the API write it: times for people, everything else as it is. */
export function presentMemory(memory: Memory) {
  const when = (ms: number | null) => (ms === null ? null : isoTime(ms))
  return {
    ...memory,
    createdAt: isoTime(memory.createdAt),
    updatedAt: isoTime(memory.updatedAt),
    accessedAt: when(memory.accessedAt),
    verifiedAt: when(memory.verifiedAt),
    details: presentDetails(memory.details),
  }
}

function presentDetails({ reinforcements, ...details }: MemoryDetails) {
  if (reinforcements === undefined) return details
  const times = reinforcements.map(({ at, ...where }) => ({ at: isoTime(at), ...where }))
  return { ...details, reinforcements: times }
}

export type PresentedMemory = ReturnType<typeof presentMemory>

/**
 * Writes everything as JSON, one item a line, all of the same moment. Equal stores give equal bytes, so an
 * export can be compared, and exported again after an import without a difference.
 */
export async function exportJson(db: Database, write: (text: string) => Promise<void>): Promise<void> {
  await db.frozen(async (reader) => {
    await write(`{\n"schemaVersion": 1,\n"format": ${JSON.stringify(exportFormat)},\n`)
    await writeList(write, "projects", projectsOf(reader), ",")
    await writeList(write, "memories", presented(allMemories(reader)), ",")
    await writeList(write, "tags", tagsOf(reader), ",")
    await writeList(write, "clusters", clustersIn(reader), ",")
    await writeList(write, "edges", edgesOf(reader), ",")
    await writeList(write, "history", historyOf(reader), "")
    await write("}\n")
  })
}

async function writeList(
  write: (text: string) => Promise<void>,
  name: string,
  items: AsyncIterable<object>,
  end: string,
): Promise<void> {
  await write(`${JSON.stringify(name)}: [`)
  let text = ""
  let first = true
  for await (const item of items) {
    text += `${first ? "" : ","}\n${JSON.stringify(item)}`
    first = false
    if (text.length > 65_536) {
      await write(text)
      text = ""
    }
  }
  await write(`${text}${first ? "" : "\n"}]${end}\n`)
}

async function* projectsOf(reader: Reader): AsyncGenerator<object> {
  const rows = await reader.read<{
    id: string
    name: string
    root: string
    remote: string | null
    at: number
  }>(sql`select id, name, root, remote, created_at as at from projects order by id`)
  for (const { at, ...row } of rows) {
    const keys = await reader.read<{ key: string }>(
      sql`select key from project_keys where project = ${row.id} order by key`,
    )
    yield { ...row, createdAt: isoTime(at), keys: keys.map(({ key }) => key).sort() }
  }
}

/** All memories in the order of their making. */
async function* allMemories(reader: Reader): AsyncGenerator<Memory> {
  let after = sql`true`
  for (;;) {
    const page = await selectMemories(reader, after, sql`order by m.created_at, m.id limit ${pageSize}`)
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return
    after = sql`(m.created_at > ${last.createdAt} or (m.created_at = ${last.createdAt} and m.id > ${last.id}))`
  }
}

async function* presented(memories: AsyncIterable<Memory>): AsyncGenerator<object> {
  for await (const memory of memories) yield presentMemory(memory)
}

async function* tagsOf(reader: Reader): AsyncGenerator<object> {
  yield* await reader.read<{ name: string; memories: number }>(sql`
    select substr(target, 5) as name, count(*) as memories from edges where kind = 'has-tag'
    group by target order by target`)
}

async function* clustersIn(reader: Reader): AsyncGenerator<object> {
  for (const cluster of await readClusters(reader, sql`true`)) {
    const { id, project, name, model, centroid, radius, members, updatedAt } = cluster
    const bytes = Buffer.from(bytesOf(centroid)).toString("base64")
    yield { id, project, name, model, centroid: bytes, radius, members, updatedAt: isoTime(updatedAt) }
  }
}

async function* edgesOf(reader: Reader): AsyncGenerator<object> {
  let last = { source: "", kind: "", target: "" }
  for (;;) {
    const page = await reader.read<typeof last & { weight: number; at: number }>(sql`
      select source, kind, target, weight, created_at as at from edges
      where (source, kind, target) > (${last.source}, ${last.kind}, ${last.target})
      order by source, kind, target limit ${pageSize}`)
    for (const { at, ...edge } of page) yield { ...edge, createdAt: isoTime(at) }
    const end = page.at(-1)
    if (end === undefined || page.length < pageSize) return
    last = end
  }
}

/** What happened to the memories; the notes of imports are left out, since the history itself came along. */
async function* historyOf(reader: Reader): AsyncGenerator<object> {
  let after = 0
  for (;;) {
    const page = await readJournal(reader, { after, limit: pageSize })
    for (const { seq, at, ...entry } of page) {
      after = seq
      const exported =
        /^(memory|edge|project|operation)\./.test(entry.kind) && entry.kind !== "memory.imported"
      if (exported) yield { at: isoTime(at), ...entry }
    }
    if (page.length < pageSize) return
  }
}

/** Writes the active memories for people, grouped by project and type. */
export async function exportMarkdown(db: Database, write: (text: string) => Promise<void>): Promise<void> {
  await db.frozen(async (reader) => {
    const names = await reader.read<{ id: string; name: string }>(
      sql`select id, name from projects order by name, id`,
    )
    await write("# What Reverie remembers\n")
    await writeSection(reader, write, "Everywhere", sql`m.scope = 'global'`)
    for (const { id, name } of names) await writeSection(reader, write, name, sql`m.project = ${id}`)
    await writeSection(reader, write, "Single sessions", sql`m.scope = 'session' and m.project is null`)
  })
}

async function writeSection(
  reader: Reader,
  write: (text: string) => Promise<void>,
  title: string,
  where: ReturnType<typeof sql>,
): Promise<void> {
  const memories = await selectMemories(
    reader,
    sql`m.status = 'active' and ${where}`,
    sql`order by m.type, m.created_at, m.id`,
  )
  if (memories.length === 0) return
  await write(`\n## ${title}\n`)
  let type = ""
  for (const memory of memories) {
    if (memory.type !== type) await write(`\n### ${memory.type}\n\n`)
    type = memory.type
    const tags = memory.tags.map((tag) => ` #${tag}`).join("")
    await write(`- ${memory.content.replaceAll("\n", "\n  ")}${tags} <!-- ${memory.id} -->\n`)
  }
}
