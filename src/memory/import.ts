import { z } from "zod"
import { nextTurn, parseTime } from "../base/clock.ts"
import { messageOf, UserError } from "../base/errors.ts"
import { shorten } from "../base/text.ts"
import { appendEntry, type By, type JournalKind } from "../storage/journal.ts"
import { sql } from "../storage/sql.ts"
import type { Transaction } from "../storage/transaction.ts"
import { exportFormat } from "./export.ts"
import { memoryScopes, memorySources, memoryStatuses, memoryTypes } from "./kinds.ts"
import { type Memory, newMemorySchema } from "./memory.ts"
import { changeMemory, prepareMemory, type ReadyMemory, type RememberNeeds, writeMemory } from "./remember.ts"
import { findMemory } from "./store.ts"

/** How an import went. `unchanged` were there already, identity and all. */
export interface Imported {
  saved: number
  reinforced: number
  superseded: number
  refused: number
  failed: number
  unchanged: number
  seconds: number
  /** The first few things that went wrong, each with its line. */
  problems: string[]
}

interface ImportOptions {
  verbatim: boolean
  onProgress?: (done: number) => void
}

/** How many memories are written in one transaction: few enough that others get a turn in between. */
const batchSize = 200
const problemsKept = 10

/** Takes in a lossless export or JSON Lines; wrong lines are counted and named, the others are kept. */
export async function importText(
  needs: RememberNeeds,
  lines: AsyncIterable<string>,
  by: By,
  options: ImportOptions,
): Promise<Imported> {
  const started = needs.clock.now()
  const tally: Imported = emptyTally()
  const { whole, rest } = await sortOut(lines)
  if (whole !== undefined) await importWhole(needs, whole, by, tally, options)
  else await importLines(needs, rest, by, tally, options)
  tally.seconds = (needs.clock.now() - started) / 1000
  await needs.db.write(async (transaction) => {
    const { problems, ...data } = tally
    await appendEntry(transaction, needs.clock.now(), { ...by, kind: "import.finished", data })
  })
  return tally
}

function emptyTally(): Imported {
  const zero = { saved: 0, reinforced: 0, superseded: 0, refused: 0, failed: 0, unchanged: 0, seconds: 0 }
  return { ...zero, problems: [] }
}

/** An export begins with a line that is only "{"; anything else is read line by line. */
async function sortOut(lines: AsyncIterable<string>) {
  const iterator = lines[Symbol.asyncIterator]()
  const first = await iterator.next()
  async function* again(): AsyncGenerator<string> {
    if (!first.done) yield first.value
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
  }
  if (first.done || first.value.trim() !== "{") return { whole: undefined, rest: again() }
  const parts: string[] = []
  for await (const line of again()) parts.push(line)
  return { whole: parts.join("\n"), rest: again() }
}

async function importLines(
  needs: RememberNeeds,
  lines: AsyncIterable<string>,
  by: By,
  tally: Imported,
  options: ImportOptions,
): Promise<void> {
  let ready: ReadyMemory[] = []
  let number = 0
  const flush = async () => {
    const batch = ready
    ready = []
    if (batch.length === 0) return
    await needs.db.write(async (transaction) => {
      for (const memory of batch) {
        const { outcome } = await writeMemory(needs, transaction, memory, by, options)
        tally[outcome] += 1
      }
    })
    options.onProgress?.(number)
    await nextTurn()
  }
  for await (const line of lines) {
    number += 1
    if (line.trim() === "") continue
    const memory = await readLine(needs, line, number, tally)
    if (memory) ready.push(memory)
    if (ready.length >= batchSize) await flush()
  }
  await flush()
}

async function readLine(
  needs: RememberNeeds,
  line: string,
  number: number,
  tally: Imported,
): Promise<ReadyMemory | undefined> {
  try {
    const given = newMemorySchema.safeParse(JSON.parse(line))
    if (!given.success) throw new Error(firstIssue(given.error))
    const ready = await prepareMemory(needs, given.data)
    if (!("outcome" in ready)) return ready
    tally.refused += 1
    note(tally, `line ${number} was refused: ${ready.reason}`)
  } catch (error) {
    tally.failed += 1
    note(tally, `line ${number} cannot be used: ${shorten(messageOf(error), 160)}`)
  }
  return undefined
}

function firstIssue(error: z.ZodError): string {
  const [issue] = error.issues
  return issue === undefined ? "it is not a memory" : `${issue.path.join(".") || "it"}: ${issue.message}`
}

function note(tally: Imported, problem: string): void {
  if (tally.problems.length < problemsKept) tally.problems.push(problem)
}

const isoDate = z.iso.datetime().transform((text) => parseTime(text) ?? 0)
const exportedMemory = z.object({
  id: z.string().regex(/^m_[0-9a-z]+$/),
  version: z.int().min(1),
  content: z.string().min(1),
  type: z.enum(memoryTypes),
  scope: z.enum(memoryScopes),
  project: z.string().nullable(),
  tags: z.array(z.string()),
  status: z.enum(memoryStatuses),
  supersededBy: z.string().nullable(),
  source: z.enum(memorySources),
  sourceId: z.string().nullable(),
  sessionId: z.string().nullable(),
  messageIndex: z.int().nullable(),
  createdAt: isoDate,
  updatedAt: isoDate,
  accessedAt: isoDate.nullable(),
  verifiedAt: isoDate.nullable(),
  accessCount: z.int(),
  strength: z.int(),
  confidence: z.number(),
  trust: z.number(),
})
const exportedEdge = z.object({
  source: z.string(),
  kind: z.string(),
  target: z.string(),
  weight: z.number(),
  createdAt: isoDate,
})
const exportedEntry = z.object({
  at: isoDate,
  kind: z.string().transform((kind) => kind as JournalKind),
  subject: z.string().nullable(),
  operation: z.string(),
  actor: z.string(),
  data: z.unknown(),
})
const exportedProject = z.object({
  id: z.string(),
  name: z.string(),
  root: z.string(),
  remote: z.string().nullable(),
  createdAt: isoDate,
  keys: z.array(z.string()),
})
const exportedWhole = z.object({
  format: z.literal(exportFormat),
  schemaVersion: z.literal(1),
  projects: z.array(exportedProject),
  memories: z.array(exportedMemory),
  edges: z.array(exportedEdge),
  history: z.array(exportedEntry),
})

/** Puts back a lossless export: what is there already stays as it is, everything else comes back as it was. */
async function importWhole(
  needs: RememberNeeds,
  text: string,
  by: By,
  tally: Imported,
  options: ImportOptions,
): Promise<void> {
  const whole = parseWhole(text)
  await needs.db.write(async (transaction) => {
    for (const project of whole.projects) await putProject(transaction, project)
    await putHistory(transaction, whole.history)
  })
  for (let from = 0; from < whole.memories.length; from += batchSize) {
    await needs.db.write(async (transaction) => {
      for (const memory of whole.memories.slice(from, from + batchSize)) {
        const isNew = await putIfNew(transaction, memory, needs.clock.now(), by)
        tally[isNew ? "saved" : "unchanged"] += 1
      }
    })
    options.onProgress?.(Math.min(from + batchSize, whole.memories.length))
    await nextTurn()
  }
  await needs.db.write(async (transaction) => {
    for (const edge of whole.edges) {
      await transaction.run(sql`
        insert into edges (source, kind, target, weight, created_at)
        values (${edge.source}, ${edge.kind}, ${edge.target}, ${edge.weight}, ${edge.createdAt})
        on conflict do nothing`)
    }
  })
}

function parseWhole(text: string): z.output<typeof exportedWhole> {
  const advice = "give a file that `reverie memory export` wrote, or JSON Lines."
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw new UserError(
      "usage",
      `The file is neither an export nor JSON Lines (${messageOf(error)}); ${advice}`,
    )
  }
  const parsed = exportedWhole.safeParse(json)
  if (parsed.success) return parsed.data
  throw new UserError("usage", `The file is not a whole export (${firstIssue(parsed.error)}); ${advice}`)
}

async function putProject(
  transaction: Transaction,
  project: z.output<typeof exportedProject>,
): Promise<void> {
  await transaction.run(sql`
    insert into projects (id, name, root, remote, created_at)
    values (${project.id}, ${project.name}, ${project.root}, ${project.remote}, ${project.createdAt})
    on conflict do nothing`)
  for (const key of project.keys) {
    await transaction.run(
      sql`insert into project_keys (key, project) values (${key}, ${project.id}) on conflict do nothing`,
    )
  }
}

/** Adds the entries of operations the journal does not know yet, in their old order. */
async function putHistory(
  transaction: Transaction,
  history: z.output<typeof exportedEntry>[],
): Promise<void> {
  const known = new Map<string, boolean>()
  for (const { at, ...entry } of history) {
    let isKnown = known.get(entry.operation)
    if (isKnown === undefined) {
      const rows = await transaction.read(
        sql`select 1 from journal where operation = ${entry.operation} limit 1`,
      )
      isKnown = rows.length > 0
      known.set(entry.operation, isKnown)
    }
    if (!isKnown) await appendEntry(transaction, at, entry)
  }
}

async function putIfNew(transaction: Transaction, memory: Memory, at: number, by: By): Promise<boolean> {
  if ((await findMemory(transaction, memory.id)) !== undefined) return false
  await changeMemory(transaction, { kind: "memory.imported", before: null, after: memory, at, by })
  return true
}
