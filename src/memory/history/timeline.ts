import { nextTurn } from "../../base/clock.ts"
import { UserError } from "../../base/errors.ts"
import { type JournalEntry, lastEntry, readJournal } from "../../storage/journal.ts"
import { sql } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import type { Memory } from "../model/memory.ts"
import { presentMemory } from "../model/present-memory.ts"
import { requireMemory } from "../model/store/browse.ts"
import type { Edge } from "../model/store/graph.ts"
import type { EdgeImages } from "../write/change/operation.ts"
import type { Images } from "./history.ts"

/** One field as it was and as it is; undefined where there was or is nothing. */
interface FieldChange {
  field: string
  from?: unknown
  to?: unknown
}

/** One thing that happened to a memory or to an edge of it. */
export interface Event {
  seq: number
  at: number
  kind: string
  operation: string
  actor: string
  /** The operation that this one took back. */
  undoes: string | null
  changes: FieldChange[]
  /** The text it had after this, for the first and the last look at it. */
  content: string | null
  edge: Omit<Edge, "createdAt"> | null
  /** What it said then was purged. */
  purged: boolean
}

/** Everything that happened to one memory, oldest first; also to one that is gone. */
export async function timelineOf(on: Reader, idOrPart: string): Promise<{ id: string; events: Event[] }> {
  const id = await knownId(on, idOrPart)
  const own = await readJournal(on, { subject: id, kind: ["memory.", "edge."], limit: 10_000 })
  const theirs = await edgesTowards(on, id, own[0]?.seq ?? 0)
  const entries = new Map([...own, ...theirs].map((entry) => [entry.seq, entry]))
  const undoes = new Map<string, string | null>()
  const events: Event[] = []
  for (const entry of [...entries.values()].sort((a, b) => a.seq - b.seq)) {
    if (!undoes.has(entry.operation)) undoes.set(entry.operation, await undoneBy(on, entry.operation))
    events.push(eventOf(entry, undoes.get(entry.operation) ?? null))
  }
  return { id, events }
}

/** The id of a memory that is there, or that the journal still knows. */
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

/** How many entries are looked through at once, so that nobody else has to wait. */
const stretch = 20_000

/** The entries of edges that lead to a memory. They are filed under the other end, so the journal is looked through. */
async function edgesTowards(on: Reader, id: string, first: number): Promise<JournalEntry[]> {
  const last = await lastEntry(on)
  const found: JournalEntry[] = []
  for (let from = first; from <= last; from += stretch) {
    const range = { after: from - 1, before: from + stretch, limit: stretch }
    const where = sql`data like ${`%"target":"${id}"%`}`
    found.push(...(await readJournal(on, { ...range, kind: "edge.", where })))
    await nextTurn()
  }
  return found
}

async function undoneBy(on: Reader, operation: string): Promise<string | null> {
  const [undone] = await readJournal(on, { operation, kind: "operation.undone", limit: 1 })
  return undone?.subject ?? null
}

/** An entry of the journal as a thing that happened. */
export function eventOf(entry: JournalEntry, undoes: string | null): Event {
  const { seq, at, kind, operation, actor } = entry
  const head = { seq, at, kind, operation, actor, undoes }
  if (kind.startsWith("edge.")) {
    const { before, after } = entry.data as EdgeImages
    const weight = before && after ? differences({ weight: before.weight }, { weight: after.weight }) : []
    const { createdAt, ...edge } = after ?? before ?? { createdAt: 0 }
    const told = "source" in edge ? edge : null
    return { ...head, changes: weight, content: null, edge: told, purged: false }
  }
  const { before, after, purged = false } = entry.data as Images
  const changes = purged || !before || !after ? [] : differences(flat(before), flat(after))
  const content = purged ? null : ((after ?? before)?.content ?? null)
  return { ...head, changes, content, edge: null, purged }
}

/** A memory's fields side by side with its details; what changes with every change is left out. */
function flat(memory: Memory): Record<string, unknown> {
  const { id, version, updatedAt, details, ...fields } = presentMemory(memory)
  return { ...fields, ...details }
}

/** The fields in which two records differ, in the order in which they are first met. */
function differences(before: Record<string, unknown>, after: Record<string, unknown>): FieldChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names]
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((field) => ({ field, from: before[field], to: after[field] }))
}
