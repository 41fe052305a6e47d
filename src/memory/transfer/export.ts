import { existsSync } from "node:fs"
import { isoTime } from "../../base/clock.ts"
import { stripInvisible } from "../../base/text/invisible.ts"
import { escapeControls } from "../../base/text/text.ts"
import type { Screen } from "../../privacy/screen.ts"
import type { Core } from "../../storage/core.ts"
import { type JournalEntry, readJournal } from "../../storage/journal.ts"
import { selectOperations } from "../../storage/journal-queries.ts"
import { type Sql, sql, sqlList } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import type { Memory } from "../model/memory.ts"
import { presentMemory } from "../model/present-memory.ts"
import { pagesOf } from "../model/store/batch.ts"
import type { ImportKey } from "../model/store/import-keys.ts"
import { createdAfter, selectMemories } from "../model/store/store.ts"
import { encodeVector, readClusters } from "../topics/clusters/store-clusters.ts"
import { everywhere, markdownTitle, markOf, singleSessions } from "./markdown-marks.ts"

/** The `format` in the head of a JSON export. */
export const exportFormat = "reverie-memory"

const pageSize = 500

/** Without a screen the export is not redacted: for copies that stay on this machine. */
type ExportSource = Pick<Core, "db"> & { screen?: Screen | undefined }

/**
 * Writes everything as JSON, one item per line, from one consistent read. Equal stores give equal bytes, so exports can be
 * compared.
 */
export async function exportJson(
  needs: ExportSource,
  write: (text: string) => Promise<void>,
  only?: OnlyProjects,
): Promise<void> {
  const part = partOf(only)
  const clean = await cleaner(needs)
  const writeList = (name: string, items: AsyncIterable<object>, end: string) =>
    writeItems(write, name, screenedLists.has(name) ? clean : (text) => text, items, end)
  await needs.db.readTransaction(async (reader) => {
    await write(`{\n"schemaVersion": 1,\n"format": ${JSON.stringify(exportFormat)},\n`)
    await writeList("projects", projectsOf(reader, part), ",")
    await writeList("memories", memoriesOf(reader, part), ",")
    await writeList("tags", tagsOf(reader, part), ",")
    await writeList("clusters", clustersIn(reader, part), ",")
    await writeList("edges", edgesOf(reader, part), ",")
    await writeList("imports", importsOf(reader, part), ",")
    await writeList("history", historyOf(reader, part), "")
    await write("}\n")
  })
}

/** The lists with texts of users and programs; the others are not redacted. */
const screenedLists = new Set(["memories", "tags", "history"])

/** The ids of the projects that an export is about. */
export type OnlyProjects = readonly string[]

/** What is exported, as conditions on the tables. */
interface ExportPart {
  projects: Sql
  clusters: Sql
  /** On `memories m`. */
  memories: Sql
  /** Both ends, as far as they are memories, are in the export. */
  edges: Sql
  imports: Sql
  history: Sql
}

/** Everything, or only some projects: their memories, the edges among those, and their history. */
function partOf(only: OnlyProjects | undefined): ExportPart {
  const all = sql`true`
  if (only === undefined)
    return { projects: all, clusters: all, memories: all, edges: all, imports: all, history: all }
  const ids = sqlList(only)
  const theirs = sql`select id from memories where project in ${ids}`
  return {
    projects: sql`id in ${ids}`,
    clusters: sql`project in ${ids}`,
    memories: sql`m.project in ${ids}`,
    edges: sql`source in (${theirs}) and (substr(target, 1, 2) <> 'm_' or target in (${theirs}))`,
    imports: sql`memory in (${theirs})`,
    history: sql`(subject in (${theirs}) or subject in ${ids} or (kind = 'operation.undone' and operation in (
      ${selectOperations(sql`subject in (${theirs})`)})))`,
  }
}

/** Redacts a text once more: memories may be older than a rule of the screen. */
type Clean = (text: string) => string

async function cleaner({ db, screen }: ExportSource): Promise<Clean> {
  if (screen === undefined) return (text) => text
  const projects = await db.read<{ root: string }>(sql`select root from projects where root <> ''`)
  await screen.learnProjects(projects.map(({ root }) => root).filter(existsSync))
  return (text) => screen.redactSync(text)
}

async function writeItems(
  write: (text: string) => Promise<void>,
  name: string,
  clean: Clean,
  items: AsyncIterable<object>,
  end: string,
): Promise<void> {
  const cleaned = (_: string, value: unknown) => (typeof value === "string" ? clean(value) : value)
  await write(`${JSON.stringify(name)}: [`)
  let text = ""
  let first = true
  for await (const item of items) {
    text += `${first ? "" : ","}\n${JSON.stringify(item, cleaned)}`
    first = false
    if (text.length > 65_536) {
      await write(text)
      text = ""
    }
  }
  await write(`${text}${first ? "" : "\n"}]${end}\n`)
}

async function* projectsOf(reader: Reader, part: ExportPart): AsyncGenerator<object> {
  const rows = await reader.read<{
    id: string
    name: string
    root: string
    remote: string | null
    at: number
  }>(sql`select id, name, root, remote, created_at as at from projects where ${part.projects} order by id`)
  for (const { at, ...row } of rows) {
    const keys = await reader.read<{ key: string }>(
      sql`select key from project_keys where project = ${row.id} order by key`,
    )
    yield { ...row, createdAt: isoTime(at), keys: keys.map(({ key }) => key).sort() }
  }
}

/** All memories, oldest first. */
async function* memoriesOf(reader: Reader, part: ExportPart): AsyncGenerator<object> {
  const order = sql`order by m.created_at, m.id limit ${pageSize}`
  const pages = pagesOf<Memory>(pageSize, (last) =>
    selectMemories(reader, sql`${part.memories} and ${createdAfter(last)}`, order),
  )
  for await (const page of pages) yield* page.map(presentMemory)
}

async function* tagsOf(reader: Reader, part: ExportPart): AsyncGenerator<object> {
  const rows = await reader.read<{ name: string; memories: number; described: string | null }>(sql`
    select substr(e.target, 5) as name, sum(case when e.kind = 'has-tag' then 1 else 0 end) as memories,
      max(d.description) as described
    from (select source, kind, target from edges where kind in ('has-tag', 'inferred-tag') and ${part.edges}) e
    left join tag_descriptions d on d.tag = substr(e.target, 5)
    group by e.target order by e.target`)
  for (const { name, memories, described } of rows) {
    // An inferred tag is inferred again after an import; its description would be lost.
    if (Number(memories) === 0 && described === null) continue
    yield { name, memories: Number(memories), ...(described === null ? {} : { description: described }) }
  }
}

async function* clustersIn(reader: Reader, part: ExportPart): AsyncGenerator<object> {
  for (const cluster of await readClusters(reader, part.clusters)) {
    const { id, project, name, model, centroid, radius, members, updatedAt } = cluster
    const bytes = Buffer.from(encodeVector(centroid)).toString("base64")
    yield { id, project, name, model, centroid: bytes, radius, members, updatedAt: isoTime(updatedAt) }
  }
}

async function* edgesOf(reader: Reader, part: ExportPart): AsyncGenerator<object> {
  const read = (last = { source: "", kind: "", target: "" }) =>
    reader.read<typeof last & { weight: number; at: number }>(sql`
      select source, kind, target, weight, created_at as at from edges
      where (source, kind, target) > (${last.source}, ${last.kind}, ${last.target})
        and ${part.edges}
      order by source, kind, target limit ${pageSize}`)
  for await (const page of pagesOf(pageSize, read))
    for (const { at, ...edge } of page) yield { ...edge, createdAt: isoTime(at) }
}

/** The keys of earlier imports, so that the other store recognises repeated ones. */
async function* importsOf(reader: Reader, part: ExportPart): AsyncGenerator<object> {
  const pages = pagesOf<ImportKey>(pageSize, (last) =>
    reader.read(sql`
      select key, operation, memory from import_keys where key > ${last?.key ?? ""} and ${part.imports}
      order by key limit ${pageSize}`),
  )
  for await (const page of pages) yield* page
}

/** The journal of the memories, without the entries of earlier imports: those entries' own history is included. */
async function* historyOf(reader: Reader, part: ExportPart): AsyncGenerator<object> {
  const pages = pagesOf<JournalEntry>(pageSize, (last) =>
    readJournal(reader, { after: last?.seq ?? 0, limit: pageSize, where: part.history }),
  )
  for await (const page of pages) {
    for (const { seq, at, ...entry } of page) {
      const exported =
        /^(memory|edge|tag|project|operation)\./.test(entry.kind) && entry.kind !== "memory.imported"
      if (exported) yield { at: isoTime(at), ...entry }
    }
  }
}

/** Writes the active memories as Markdown, grouped by project and type. */
export async function exportMarkdown(
  needs: ExportSource,
  writeText: (text: string) => Promise<void>,
  only?: OnlyProjects,
): Promise<void> {
  const clean = await cleaner(needs)
  const write = (text: string) => writeText(clean(text))
  await needs.db.readTransaction(async (reader) => {
    const names = await reader.read<{ id: string; name: string }>(
      sql`select id, name from projects where ${partOf(only).projects} order by name, id`,
    )
    await write(`${markdownTitle}\n`)
    const theirs = partOf(only).memories
    const own = only === undefined ? sql`m.scope = 'project'` : sql`m.scope <> 'session'`
    if (only === undefined) await writeSection(reader, write, everywhere, sql`m.scope = 'global'`)
    for (const { id, name } of names) {
      await writeSection(reader, write, name, sql`m.project = ${id} and ${own}`)
    }
    await writeSection(reader, write, singleSessions, sql`m.scope = 'session' and ${theirs}`)
  })
}

async function writeSection(
  reader: Reader,
  write: (text: string) => Promise<void>,
  title: string,
  where: Sql,
): Promise<void> {
  const memories = await selectMemories(
    reader,
    sql`m.status = 'active' and ${where}`,
    sql`order by m.type, m.created_at, m.id`,
  )
  if (memories.length === 0) return
  await write(escapeControls(`\n## ${title}\n`))
  let type = ""
  for (const memory of memories) {
    if (memory.type !== type) await write(`\n### ${memory.type}\n\n`)
    type = memory.type
    const tags = memory.tags.map((tag) => ` #${tag}`).join("")
    await write(
      escapeControls(
        `- ${stripInvisible(memory.content).replaceAll("\n", "\n  ")}${tags} ${markOf(memory)}\n`,
      ),
    )
  }
}
