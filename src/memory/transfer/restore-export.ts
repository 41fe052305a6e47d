import type { z } from "zod"
import { yieldToEventLoop } from "../../base/clock.ts"
import type { ScreenContext } from "../../privacy/screen.ts"
import { appendEntries } from "../../storage/journal.ts"
import { operationsWhere } from "../../storage/journal-queries.ts"
import { sql, sqlList, sqlRows } from "../../storage/sql.ts"
import type { Transaction } from "../../storage/transaction.ts"
import { cleanTags, isReadable, type Memory, normalizeDetails, unreadableReason } from "../model/memory.ts"
import { rootsOf } from "../model/project.ts"
import { type CleanText, cleanDeep, createCleaner, secretsOnly } from "../model/screen-memory.ts"
import { batchSize } from "../model/store/batch.ts"
import { changeMemories } from "../model/store/change.ts"
import { saveImportKeys } from "../model/store/import-keys.ts"
import { findMemories } from "../model/store/store.ts"
import { findRun, putRun } from "../topics/clusters/run.ts"
import { scopeName } from "../topics/clusters/scope.ts"
import { clusterNode, putClusters, readClusters } from "../topics/clusters/store-clusters.ts"
import { putDescriptions } from "../topics/tags/describe.ts"
import {
  countFailed,
  countRefused,
  firstIssue,
  type ImportRun,
  reportFutureTime,
} from "../write/import-run.ts"
import { isInFuture } from "../write/prepare.ts"
import {
  type ExportedItem,
  exportedCluster,
  exportedEdge,
  exportedEntry,
  exportedImport,
  exportedMemory,
  exportedProject,
  exportedTag,
  readExport,
} from "./read-export.ts"

/** Imports a JSON export. Memories that exist already stay unchanged; all others are restored as they were. */
export async function restoreExport(run: ImportRun, lines: AsyncIterable<string>): Promise<void> {
  const restore = await beginRestore(run)
  let batch: ExportedItem[] = []
  let done = 0
  const write = async () => {
    if (batch.length === 0) return
    const items = batch
    batch = []
    await writeItems(restore, items)
    done += items.length
    run.onProgress(done)
    await yieldToEventLoop()
  }
  for await (const item of readExport(lines)) {
    // All items of a batch are of one list.
    if (batch.length >= batchSize || batch[0]?.list !== item.list) await write()
    batch.push(item)
  }
  await write()
}

type Restore = Awaited<ReturnType<typeof beginRestore>>

/** What an import knows between batches, and the cleaners of its texts, which are not trusted. */
async function beginRestore(run: ImportRun) {
  const { screen, config } = run.needs
  const context: ScreenContext = {
    sourceRoots: await rootsOf(run.needs, run.from ?? []),
    policy: config.privacy,
  }
  return {
    ...run,
    context,
    cleanText: remembering(createCleaner(screen, context)),
    cleanName: remembering(createCleaner(screen, secretsOnly(context, config))),
    projects: new Set<string>(),
    /** Memories that came with this import. */
    imported: new Set<string>(),
    /** The graph nodes of the clusters in the file. */
    clusters: new Set<string>(),
    /** Operations that this store's journal knew before. */
    known: new Set<string>(),
    /** Operations whose entries came with this import. */
    begun: new Set<string>(),
  }
}

const textsRemembered = 10_000

/** Most texts of an export repeat, above all in its history; each is screened once. */
function remembering(clean: CleanText): CleanText {
  const known = new Map<string, Promise<string>>()
  return (text) => {
    const before = known.get(text)
    if (before) return before
    if (known.size >= textsRemembered) known.clear()
    const cleaned = clean(text)
    known.set(text, cleaned)
    return cleaned
  }
}

async function writeItems(restore: Restore, items: ExportedItem[]): Promise<void> {
  const { cleanText, cleanName } = restore
  switch (items[0]?.list) {
    case "projects":
      return writeProjects(restore, await allClean(cleanName, readable(restore, items, exportedProject)))
    case "memories":
      return writeMemories(restore, items)
    case "tags":
      return writeTags(restore, await allClean(cleanText, readable(restore, items, exportedTag)))
    case "clusters":
      return writeClusters(restore, readable(restore, items, exportedCluster))
    case "edges":
      return writeEdges(restore, await allClean(cleanName, readable(restore, items, exportedEdge)))
    case "imports":
      return writeImports(restore, readable(restore, items, exportedImport))
    case "history":
      return writeHistory(restore, await allClean(cleanText, readable(restore, items, exportedEntry)))
    default:
      // Lists of later versions are ignored.
      return Promise.resolve()
  }
}

/** The items with all their texts screened. */
async function allClean<T>(clean: CleanText, items: readonly T[]): Promise<T[]> {
  return (await cleanDeep(items, clean)) as T[]
}

/** The items that match the schema; the others become problems of the import. */
function readable<T extends z.ZodType>(run: ImportRun, items: ExportedItem[], schema: T): z.output<T>[] {
  return items.flatMap(({ item, line }) => {
    const parsed = schema.safeParse(item)
    if (parsed.success) return [parsed.data]
    countFailed(run, line, firstIssue(parsed.error, item))
    return []
  })
}

async function writeProjects(restore: Restore, projects: z.output<typeof exportedProject>[]): Promise<void> {
  const { needs } = restore
  for (const { id } of projects) restore.projects.add(id)
  if (projects.length === 0) return
  const rows = projects.map(({ id, name, root, remote, createdAt }) => [id, name, root, remote, createdAt])
  const keys = projects.flatMap((project) => project.keys.map((key) => [key, project.id]))
  await needs.db.write(async (transaction) => {
    await transaction.run(sql`
      insert into projects (id, name, root, remote, created_at) values ${sqlRows(rows)} on conflict do nothing`)
    if (keys.length === 0) return
    await transaction.run(
      sql`insert into project_keys (key, project) values ${sqlRows(keys)} on conflict do nothing`,
    )
  })
}

async function writeMemories(restore: Restore, items: ExportedItem[]): Promise<void> {
  const { needs, by, tally } = restore
  const wanted: Memory[] = []
  for (const item of items) wanted.push(...(await acceptable(restore, item)))
  await needs.db.write(async (transaction) => {
    const there = await findMemories(
      transaction,
      wanted.map((memory) => memory.id),
    )
    const fresh = wanted.filter((memory) => !there.has(memory.id))
    const at = needs.clock.now()
    const kind = "memory.imported" as const
    await changeMemories(
      transaction,
      fresh.map((after) => ({ kind, before: null, after, at, by })),
    )
    for (const { id } of fresh) restore.imported.add(id)
    tally.saved += fresh.length
    tally.unchanged += wanted.length - fresh.length
  })
}

async function acceptable(restore: Restore, { item, line }: ExportedItem): Promise<Memory[]> {
  const parsed = exportedMemory.safeParse(item)
  if (!parsed.success) {
    countFailed(restore, line, firstIssue(parsed.error, item))
    return []
  }
  const memory = parsed.data
  const longest = restore.needs.config.memory.longest_text
  if (memory.project !== null && !restore.projects.has(memory.project)) {
    countFailed(restore, line, `its project ${memory.project} is not in the file`)
  } else if (Array.from(memory.content).length > longest) {
    countRefused(restore, line, `it is longer than memory.longest_text allows (${longest} characters)`)
  } else if (!isReadable(memory.content)) {
    countRefused(restore, line, unreadableReason)
  } else {
    const screened = await restore.needs.screen.check(memory.content, restore.context)
    if (screened.outcome !== "refused") {
      return [await cleaned(withKnownTime(restore, memory, line), screened.text, restore)]
    }
    countRefused(restore, line, screened.reason)
  }
  return []
}

/** A memory dated in the future gets the current time, and a problem is noted. */
function withKnownTime(run: ImportRun, memory: Memory, line: number): Memory {
  const now = run.needs.clock.now()
  if (!isInFuture(memory.createdAt, now)) return memory
  reportFutureTime(run, line)
  return { ...memory, createdAt: now }
}

/** Adds the clusters that do not exist yet; their scopes are clustered again when due. */
async function writeClusters(restore: Restore, clusters: z.output<typeof exportedCluster>[]): Promise<void> {
  const { needs } = restore
  const wanted = clusters.filter(({ project }) => project === null || restore.projects.has(project))
  if (wanted.length === 0) return
  await needs.db.write(async (transaction) => {
    const there = await readClusters(transaction, sql`id in ${sqlList(wanted.map(({ id }) => id))}`)
    const known = new Set(there.map(({ id }) => id))
    const fresh = wanted.filter(({ id }) => !known.has(id))
    await putClusters(transaction, fresh)
    for (const { project, model } of new Map(fresh.map((one) => [one.project, one])).values()) {
      const run = await findRun(transaction, project)
      const scope = scopeName(project)
      const first = { scope, run: 0, at: 0, entry: 0, model, memories: 0 }
      const { run: number, ...rest } = run ?? first
      await putRun(transaction, { ...rest, run: number + 1 })
    }
  })
  for (const { id } of wanted) restore.clusters.add(clusterNode(id))
}

/** Adds the descriptions of tags; the tags themselves come with the memories. */
async function writeTags({ needs }: Restore, tags: z.output<typeof exportedTag>[]): Promise<void> {
  const described = tags.flatMap(({ name, description }) =>
    description === undefined ? [] : [{ tag: name, description }],
  )
  if (described.length === 0) return
  await needs.db.write((transaction) => putDescriptions(transaction, described, needs.clock.now(), "keep"))
}

async function cleaned(memory: Memory, content: string, restore: Restore): Promise<Memory> {
  const { tags, triggers, sourceId, sessionId, audience } = memory
  const { files, ...otherDetails } = memory.details
  const texts = { tags, triggers, sourceId, otherDetails }
  const names = { sessionId, audience, files }
  const [inTexts, inNames] = [
    await cleanDeep(texts, restore.cleanText),
    await cleanDeep(names, restore.cleanName),
  ]
  const { otherDetails: details, ...rest } = inTexts as typeof texts
  const { files: paths, ...where } = inNames as typeof names
  return {
    ...memory,
    ...rest,
    ...where,
    content,
    tags: cleanTags(rest.tags),
    details: normalizeDetails({ ...details, files: paths }),
  }
}

/** Adds the edges of imported memories, except tags, which come with the memories. */
async function writeEdges(restore: Restore, edges: z.output<typeof exportedEdge>[]): Promise<void> {
  const { needs } = restore
  const rows = edges
    .filter(({ source, kind }) => kind !== "has-tag" && restore.imported.has(source))
    .filter(({ kind, target }) => kind !== "in-cluster" || restore.clusters.has(target))
    .map(({ source, kind, target, weight, createdAt }) => [source, kind, target, weight, createdAt])
  if (rows.length === 0) return
  await needs.db.write((transaction) =>
    transaction.run(sql`
      insert into edges (source, kind, target, weight, created_at) values ${sqlRows(rows)} on conflict do nothing`),
  )
}

/** Adds the import keys of imported memories. */
async function writeImports(restore: Restore, imports: z.output<typeof exportedImport>[]): Promise<void> {
  const { needs } = restore
  const theirs = imports.filter(({ memory }) => restore.imported.has(memory))
  if (theirs.length > 0) await needs.db.write((transaction) => saveImportKeys(transaction, theirs))
}

/** Adds the entries of operations that this journal does not have, in their old order. */
async function writeHistory(restore: Restore, entries: z.output<typeof exportedEntry>[]): Promise<void> {
  const { needs } = restore
  await needs.db.write(async (transaction) => {
    await sortOperations(transaction, restore, entries)
    const fresh = entries.filter(({ operation }) => restore.begun.has(operation))
    await appendEntries(
      transaction,
      fresh.map((entry) => ({ ...entry, imported: true })),
    )
  })
}

/** Sorts the operations of entries into those known before this import and new ones. */
async function sortOperations(
  transaction: Transaction,
  { known, begun }: Restore,
  entries: { operation: string }[],
): Promise<void> {
  const unsure = new Set(
    entries.map(({ operation }) => operation).filter((one) => !known.has(one) && !begun.has(one)),
  )
  if (unsure.size === 0) return
  const isUnsure = sql`operation in ${sqlList([...unsure])}`
  for (const operation of await operationsWhere(transaction, isUnsure)) known.add(operation)
  for (const operation of unsure) if (!known.has(operation)) begun.add(operation)
}
