import type { z } from "zod"
import { nextTurn } from "../../base/clock.ts"
import type { ScreenContext } from "../../privacy/screen.ts"
import { appendEntries } from "../../storage/journal.ts"
import { operationsWhere } from "../../storage/journal-queries.ts"
import { sql, sqlList, sqlRows } from "../../storage/sql.ts"
import type { Transaction } from "../../storage/transaction.ts"
import { cleanTags, isReadable, type Memory, tidyDetails, unreadable } from "../model/memory.ts"
import { rootsOf } from "../model/project.ts"
import { type Clean, cleaner, eachText, nameContext } from "../model/screen-memory.ts"
import { batchSize } from "../model/store/batch.ts"
import { changeMemories } from "../model/store/change.ts"
import { putImportKeys } from "../model/store/import-keys.ts"
import { findMemories } from "../model/store/store.ts"
import { findRun, putRun } from "../topics/clusters/run.ts"
import { scopeName } from "../topics/clusters/scope.ts"
import { clusterNode, putClusters, readClusters } from "../topics/clusters/store-clusters.ts"
import { putDescriptions } from "../topics/tags/describe.ts"
import { firstIssue, type ImportRun, noteFailed, noteRefused, noteTime } from "../write/import-run.ts"
import { isYetToCome } from "../write/prepare.ts"
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
} from "./exported.ts"

/** Puts back a lossless export: what is there already stays as it is, everything else comes back as it was. */
export async function putBack(run: ImportRun, lines: AsyncIterable<string>): Promise<void> {
  const state: State = {
    projects: new Set(),
    imported: new Set(),
    clusters: new Set(),
    known: new Set(),
    begun: new Set(),
  }
  const saidIn = await rootsOf(run.needs, run.from ?? [])
  const clean = cleanerOf(run, saidIn)
  let batch: ExportedItem[] = []
  let done = 0
  const write = async () => {
    if (batch.length === 0) return
    const items = batch
    batch = []
    await writeItems(run, state, clean, items)
    done += items.length
    run.onProgress(done)
    await nextTurn()
  }
  for await (const item of readExport(lines)) {
    // A batch holds items of one list.
    if (batch.length >= batchSize || batch[0]?.list !== item.list) await write()
    batch.push(item)
  }
  await write()
}

/** What an import must remember between batches. */
interface State {
  projects: Set<string>
  /** Memories that came with this import. */
  imported: Set<string>
  /** The names in the graph of the clusters that came with this import, or were there. */
  clusters: Set<string>
  /** Operations that this store's journal knew before. */
  known: Set<string>
  /** Operations whose entries came with this import. */
  begun: Set<string>
}

/** Cleans the texts of a file that anybody may have written. */
interface Cleaner {
  context: ScreenContext
  text: Clean
  name: Clean
}

function cleanerOf({ needs: { screen, config } }: ImportRun, saidIn: readonly (string | null)[]): Cleaner {
  const context = { saidIn, policy: config.privacy }
  return {
    context,
    text: remembering(cleaner(screen, context)),
    name: remembering(cleaner(screen, nameContext(context, config))),
  }
}

const textsRemembered = 10_000

/** Most texts of an export come again and again, in its history above all; each is looked at once. */
function remembering(clean: Clean): Clean {
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

async function writeItems(
  run: ImportRun,
  state: State,
  clean: Cleaner,
  items: ExportedItem[],
): Promise<void> {
  switch (items[0]?.list) {
    case "projects":
      return writeProjects(run, state, await allClean(clean.name, readable(run, items, exportedProject)))
    case "memories":
      return writeMemories(run, state, clean, items)
    case "tags":
      return writeTags(run, await allClean(clean.text, readable(run, items, exportedTag)))
    case "clusters":
      return writeClusters(run, state, readable(run, items, exportedCluster))
    case "edges":
      return writeEdges(run, state, await allClean(clean.name, readable(run, items, exportedEdge)))
    case "imports":
      return writeImports(run, state, readable(run, items, exportedImport))
    case "history":
      return writeHistory(run, state, await allClean(clean.text, readable(run, items, exportedEntry)))
    default:
      // Lists of later versions are not ours to judge.
      return Promise.resolve()
  }
}

/** The same items without what may not be kept. */
async function allClean<T>(clean: Clean, items: readonly T[]): Promise<T[]> {
  return (await eachText(items, clean)) as T[]
}

/** The items that fulfil the schema; the others are counted and named. */
function readable<T extends z.ZodType>(run: ImportRun, items: ExportedItem[], schema: T): z.output<T>[] {
  return items.flatMap(({ item, line }) => {
    const parsed = schema.safeParse(item)
    if (parsed.success) return [parsed.data]
    noteFailed(run, line, firstIssue(parsed.error, item))
    return []
  })
}

async function writeProjects(
  { needs }: ImportRun,
  state: State,
  projects: z.output<typeof exportedProject>[],
): Promise<void> {
  for (const { id } of projects) state.projects.add(id)
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

async function writeMemories(
  run: ImportRun,
  state: State,
  clean: Cleaner,
  items: ExportedItem[],
): Promise<void> {
  const { needs, by, tally } = run
  const wanted: Memory[] = []
  for (const item of items) wanted.push(...(await acceptable(run, state, clean, item)))
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
    for (const { id } of fresh) state.imported.add(id)
    tally.saved += fresh.length
    tally.unchanged += wanted.length - fresh.length
  })
}

async function acceptable(
  run: ImportRun,
  state: State,
  clean: Cleaner,
  { item, line }: ExportedItem,
): Promise<Memory[]> {
  const parsed = exportedMemory.safeParse(item)
  if (!parsed.success) {
    noteFailed(run, line, firstIssue(parsed.error, item))
    return []
  }
  const memory = parsed.data
  const longest = run.needs.config.memory.longest_text
  if (memory.project !== null && !state.projects.has(memory.project)) {
    noteFailed(run, line, `its project ${memory.project} is not in the file`)
  } else if (Array.from(memory.content).length > longest) {
    noteRefused(run, line, `it is longer than memory.longest_text allows (${longest} characters)`)
  } else if (!isReadable(memory.content)) {
    noteRefused(run, line, unreadable)
  } else {
    const screened = await run.needs.screen.check(memory.content, clean.context)
    if (screened.outcome !== "refused") {
      return [await cleaned(withKnownTime(run, memory, line), screened.text, clean)]
    }
    noteRefused(run, line, screened.reason)
  }
  return []
}

/** The same memory; one that is yet to come was made now, as far as anybody knows. */
function withKnownTime(run: ImportRun, memory: Memory, line: number): Memory {
  const now = run.needs.clock.now()
  if (!isYetToCome(memory.createdAt, now)) return memory
  noteTime(run, line)
  return { ...memory, createdAt: now }
}

/** Clusters that are not there yet; the scope they are in is organised anew when its time comes. */
async function writeClusters(
  { needs }: ImportRun,
  state: State,
  clusters: z.output<typeof exportedCluster>[],
): Promise<void> {
  const wanted = clusters.filter(({ project }) => project === null || state.projects.has(project))
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
  for (const { id } of wanted) state.clusters.add(clusterNode(id))
}

/** What tags mean; the tags themselves came with the memories. */
async function writeTags({ needs }: ImportRun, tags: z.output<typeof exportedTag>[]): Promise<void> {
  const described = tags.flatMap(({ name, description }) =>
    description === undefined ? [] : [{ tag: name, description }],
  )
  if (described.length === 0) return
  await needs.db.write((transaction) => putDescriptions(transaction, described, needs.clock.now(), "keep"))
}

async function cleaned(memory: Memory, content: string, clean: Cleaner): Promise<Memory> {
  const { tags, triggers, sourceId, sessionId, audience } = memory
  const { files, ...told } = memory.details
  const texts = { tags, triggers, sourceId, told }
  const names = { sessionId, audience, files }
  const [inTexts, inNames] = [await eachText(texts, clean.text), await eachText(names, clean.name)]
  const { told: details, ...rest } = inTexts as typeof texts
  const { files: paths, ...where } = inNames as typeof names
  return {
    ...memory,
    ...rest,
    ...where,
    content,
    tags: cleanTags(rest.tags),
    details: tidyDetails({ ...details, files: paths }),
  }
}

/** Edges of memories that came with this import; tags came with the memories themselves. */
async function writeEdges(
  { needs }: ImportRun,
  state: State,
  edges: z.output<typeof exportedEdge>[],
): Promise<void> {
  const rows = edges
    .filter(({ source, kind }) => kind !== "has-tag" && state.imported.has(source))
    .filter(({ kind, target }) => kind !== "in-cluster" || state.clusters.has(target))
    .map(({ source, kind, target, weight, createdAt }) => [source, kind, target, weight, createdAt])
  if (rows.length === 0) return
  await needs.db.write((transaction) =>
    transaction.run(sql`
      insert into edges (source, kind, target, weight, created_at) values ${sqlRows(rows)} on conflict do nothing`),
  )
}

/** What was imported before into the memories that came with this import. */
async function writeImports(
  { needs }: ImportRun,
  state: State,
  imports: z.output<typeof exportedImport>[],
): Promise<void> {
  const theirs = imports.filter(({ memory }) => state.imported.has(memory))
  if (theirs.length > 0) await needs.db.write((transaction) => putImportKeys(transaction, theirs))
}

/** Adds the entries of operations that this journal does not know yet, in their old order. */
async function writeHistory(
  { needs }: ImportRun,
  state: State,
  entries: z.output<typeof exportedEntry>[],
): Promise<void> {
  await needs.db.write(async (transaction) => {
    await sortOperations(transaction, state, entries)
    const fresh = entries.filter(({ operation }) => state.begun.has(operation))
    await appendEntries(
      transaction,
      fresh.map((entry) => ({ ...entry, imported: true })),
    )
  })
}

/** Finds out which of these operations were known before this import. */
async function sortOperations(
  transaction: Transaction,
  { known, begun }: State,
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
