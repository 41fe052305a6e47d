import { yieldToEventLoop } from "../../base/clock.ts"
import { UserError } from "../../base/errors.ts"
import { type JournalEntry, lastEntry, readJournal } from "../../storage/journal.ts"
import { sql } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import type { Memory } from "../model/memory.ts"
import { presentMemory } from "../model/present-memory.ts"
import { requireMemory } from "../model/store/browse.ts"
import type { Edge } from "../model/store/graph.ts"
import type { EdgeImages } from "../write/change/operation.ts"
import { type MemoryImages, targetOfUndo } from "./undo.ts"

/** One field before and after a change; undefined where it had no value. */
interface FieldChange {
  field: string
  from?: unknown
  to?: unknown
}

/** One thing that happened to a memory or to an edge of it. */
export interface TimelineEvent {
  seq: number
  at: number
  kind: string
  operation: string
  actor: string
  /** The operation that this one undid. */
  undoes: string | null
  changes: FieldChange[]
  /** The memory's text after the event. */
  content: string | null
  edge: Omit<Edge, "createdAt"> | null
  /** Whether the text was purged since. */
  purged: boolean
}

/** Everything that happened to one memory, oldest first; also to one that was purged or removed. */
export async function timelineOf(
  on: Reader,
  idOrPart: string,
): Promise<{ id: string; events: TimelineEvent[] }> {
  const id = await knownId(on, idOrPart)
  const own = await readJournal(on, { subject: id, kind: ["memory.", "edge."], limit: 10_000 })
  const theirs = await edgesTowards(on, id, own[0]?.seq ?? 0)
  const entries = new Map([...own, ...theirs].map((entry) => [entry.seq, entry]))
  const undoes = new Map<string, string | null>()
  const events: TimelineEvent[] = []
  for (const entry of [...entries.values()].sort((a, b) => a.seq - b.seq)) {
    if (!undoes.has(entry.operation)) undoes.set(entry.operation, await targetOfUndo(on, entry.operation))
    events.push(eventOf(entry, undoes.get(entry.operation) ?? null))
  }
  return { id, events }
}

/** The id of an existing memory, or of one that only the journal still names. */
async function knownId(on: Reader, idOrPart: string): Promise<string> {
  try {
    return (await requireMemory(on, idOrPart)).id
  } catch (error) {
    const isUnknown = error instanceof UserError && error.kind === "not-found"
    const [entry] = isUnknown ? await readJournal(on, { subject: idOrPart, kind: "memory.", limit: 1 }) : []
    if (entry) return idOrPart
    throw error
  }
}

/** Journal entries scanned at once before others get their turn. */
const scanned = 20_000

/** The entries of edges that point to a memory. Their subject is the other end, so this scans the journal. */
async function edgesTowards(on: Reader, id: string, first: number): Promise<JournalEntry[]> {
  const last = await lastEntry(on)
  const found: JournalEntry[] = []
  for (let from = first; from <= last; from += scanned) {
    const range = { after: from - 1, before: from + scanned, limit: scanned }
    const where = sql`data like ${`%"target":"${id}"%`}`
    found.push(...(await readJournal(on, { ...range, kind: "edge.", where })))
    await yieldToEventLoop()
  }
  return found
}

/** A journal entry of a memory or edge as an event. */
function eventOf(entry: JournalEntry, undoes: string | null): TimelineEvent {
  const { seq, at, kind, operation, actor } = entry
  const head = { seq, at, kind, operation, actor, undoes }
  if (kind.startsWith("edge.")) {
    const { before, after } = entry.data as EdgeImages
    const weight = before && after ? differences({ weight: before.weight }, { weight: after.weight }) : []
    const { createdAt, ...edge } = after ?? before ?? { createdAt: 0 }
    const shown = "source" in edge ? edge : null
    return { ...head, changes: weight, content: null, edge: shown, purged: false }
  }
  const { before, after, purged = false } = entry.data as MemoryImages
  const changes = purged || !before || !after ? [] : differences(flat(before), flat(after))
  const content = purged ? null : ((after ?? before)?.content ?? null)
  return { ...head, changes, content, edge: null, purged }
}

/** A memory's fields and details in one record, without those that differ after every change. */
function flat(memory: Memory): Record<string, unknown> {
  const { id, version, updatedAt, details, ...fields } = presentMemory(memory)
  return { ...fields, ...details }
}

/** The fields in which two records differ. */
function differences(before: Record<string, unknown>, after: Record<string, unknown>): FieldChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names]
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((field) => ({ field, from: before[field], to: after[field] }))
}

/** One change of a memory or edge; `subject` is its id. */
export type GraphChange = TimelineEvent & { subject: string }

const mostChanges = 500

/** The changes that these operations made to memories and edges, in order; at most 500. */
export async function changesBy(on: Reader, operations: readonly string[]): Promise<GraphChange[]> {
  const changes: GraphChange[] = []
  for (const operation of operations) {
    const limit = mostChanges - changes.length
    if (limit <= 0) break
    const entries = await readJournal(on, { operation, kind: ["memory.", "edge."], limit })
    changes.push(...entries.map((entry) => ({ ...eventOf(entry, null), subject: entry.subject ?? "" })))
  }
  return changes
}
