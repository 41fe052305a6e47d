import { UserError } from "../../base/errors.ts"
import { count } from "../../base/text/text.ts"
import type { Core } from "../../storage/core.ts"
import { appendEntry, type By, type JournalEntry, kindBegins, readJournal } from "../../storage/journal.ts"
import {
  countEntries,
  kindsWhere,
  newestOperations,
  type OperationRow,
  operationsWhere,
} from "../../storage/journal-queries.ts"
import { earlierResult } from "../../storage/operation.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"
import { sessionOfOperation } from "../model/agents/agent-session.ts"
import type { Memory } from "../model/memory.ts"
import { batchSize, pagesOf } from "../model/store/batch.ts"
import { changeMemories, type MemoryChange } from "../model/store/change.ts"
import { changeEdges, type Edge, edgesAt, findEdge, linkKinds } from "../model/store/graph.ts"
import { findMemories } from "../model/store/store.ts"
import { isUndone } from "../model/store/undone.ts"
import { type DescriptionChange, putDescription } from "../topics/tags/describe.ts"
import type { EdgeImages } from "../write/change/operation.ts"
import { changeWord } from "./change-word.ts"

export const purgedKind = "memory.purged"

/** The kinds of entries that undo reverts. */
export const undoable = ["memory.", "edge.", "tag."]

/** Entries that only record use or a check of a memory; a plain `undo` skips them. */
const bookkeeping = ["memory.used", "memory.verified", "memory.doubted"]
const isChange = sql`${kindBegins(undoable)} and kind not in ${sqlList(bookkeeping)}`

/** One operation in the list of what can be undone. */
export interface OperationSummary {
  operation: string
  at: number
  actor: string
  /** How many memories it changed; of an operation that changed none, how many links or tags. */
  changes: number
  /** The kind of its first entry about a memory, such as memory.saved; without one, that of its first entry. */
  kind: string
  /** Whether it is undone now. */
  undone: boolean
  /** The operation that this one undid, if it is an undo. */
  undoes: string | null
  /** The agent session it belongs to; `undo` accepts this id and undoes the whole session. */
  session: string | null
}

/** The newest operations that changed memories, newest first. */
export async function listOperations(on: Reader, limit: number): Promise<OperationSummary[]> {
  const rows = await newestOperations(on, sql`${isChange} and imported = 0`, limit)
  const summaries: OperationSummary[] = []
  for (const row of rows) summaries.push(await summarize(on, row))
  return summaries
}

async function summarize(on: Reader, row: OperationRow): Promise<OperationSummary> {
  const { operation } = row
  const own = { after: row.first - 1, operation, where: isChange, limit: 1 }
  const [ofMemory] = await readJournal(on, { ...own, kind: "memory." })
  const [first] = ofMemory ? [ofMemory] : await readJournal(on, own)
  const isLink = first?.kind.startsWith("edge.") ?? false
  const links = sql`operation = ${operation} and kind like 'edge.%' and imported = 0`
  return {
    operation,
    at: row.at,
    actor: row.actor,
    changes: isLink ? await countEntries(on, links) : row.changes,
    kind: first?.kind ?? "memory.saved",
    undone: await isUndone(on, operation),
    undoes: await targetOfUndo(on, operation),
    session: sessionOfOperation(operation),
  }
}

export interface Undone {
  /** The operation that was undone. */
  undid: string
  /** The undo itself, which can be undone. */
  operation: string
  changes: number
  summary: string
  /** What the undone operation had done, such as "added". */
  did?: string
  /** Set if the undone operation was itself an undo, so that its change applies again. */
  broughtBack?: true
}

/** Undoes one operation, by default the newest that is not undone; refuses if newer changes would be lost. */
export async function undo(needs: Pick<Core, "db" | "clock">, by: By, operation?: string): Promise<Undone> {
  return needs.db.write(async (transaction) => {
    const earlier = await earlierResult(transaction, by, {
      kind: "operation.undone",
      read: ([undone]) => undone?.data as Undone | undefined,
    })
    if (earlier) return earlier
    const target =
      operation === undefined
        ? await newestNotUndone(transaction)
        : await operationNamed(transaction, operation)
    await requireUndoable(transaction, target)
    const did = await changeWordOf(transaction, target)
    const at = needs.clock.now()
    const { changes, summary } = await revertOperation(transaction, target, { at, by })
    const isUndo = (await targetOfUndo(transaction, target)) !== null
    const again = isUndo ? { broughtBack: true as const } : {}
    const undone: Undone = { undid: target, operation: by.operation, changes, summary, did, ...again }
    const entry = { ...by, at, kind: "operation.undone" as const, subject: target, data: undone }
    await appendEntry(transaction, entry)
    return undone
  })
}

/** What an operation did, in one word: "changed" where it did several kinds of things. */
async function changeWordOf(on: Reader, operation: string): Promise<string> {
  const kinds = await kindsWhere(on, sql`operation = ${operation} and ${isChange}`)
  const ofMemories = kinds.filter((kind) => !kind.startsWith("edge."))
  const [only, another] = ofMemories.length > 0 ? ofMemories : kinds
  if (only === undefined) return "linked"
  return another === undefined ? changeWord(only) : "changed"
}

/**
 * The newest operation of this store that is neither an undo nor undone. Operations of the daemon, of recall and of
 * cycles are undone by id only: a plain `undo` means what the user did.
 */
async function newestNotUndone(transaction: Transaction): Promise<string> {
  const seen: string[] = []
  for (;;) {
    const isUsers = sql`${isChange} and actor not in ('daemon', 'recall', 'ambient')
      and operation not in ${sqlList(["", ...seen])}`
    const query = { where: isUsers, imported: false as const, newestFirst: true, limit: 1 }
    const [newest] = await readJournal(transaction, query)
    if (newest === undefined) throw new UserError("not-found", "There is nothing to undo.")
    const { operation } = newest
    const isUndo = (await targetOfUndo(transaction, operation)) !== null
    if (!isUndo && !(await isUndone(transaction, operation))) return operation
    seen.push(operation)
  }
}

const leastPart = 4

/** The operations with this id, or with this beginning or end of it. */
function operationsNamed(on: Reader, named: string): Promise<string[]> {
  const part = named.replaceAll(/[\\%_]/g, "\\$&")
  const isNamed = sql`operation = ${named}
    or (${named.length} >= ${leastPart} and ${kindBegins(undoable)} and imported = 0
      and (operation like ${`${part}%`} escape '\\' or operation like ${`%${part}`} escape '\\'))`
  return operationsWhere(on, isNamed, 20)
}

/** Whether a name may be the end of the id of something that is no operation, such as a cycle. */
export async function isOtherEnd(on: Reader, named: string): Promise<boolean> {
  const isEnd = named.length >= leastPart && /^[\da-z]+$/.test(named)
  return isEnd && (await operationsNamed(on, named)).length === 0
}

/** An operation by its id, or by a beginning or end of it that is unique. */
async function operationNamed(on: Reader, named: string): Promise<string> {
  const found = await operationsNamed(on, named)
  const exact = found.find((operation) => operation === named)
  if (exact === undefined && found.length > 1)
    throw new UserError("usage", `Several operations begin or end with ${named}; give more of it.`)
  return exact ?? found[0] ?? named
}

/** The operation that this one undid; null if it is no undo. */
export async function targetOfUndo(on: Reader, operation: string): Promise<string | null> {
  const [undone] = await readJournal(on, { operation, kind: "operation.undone", limit: 1 })
  return undone?.subject ?? null
}

async function requireUndoable(transaction: Transaction, target: string): Promise<void> {
  const entries = await readJournal(transaction, { operation: target, kind: undoable, limit: 1 })
  if (entries.length === 0) {
    const advice = "`reverie undo --list` shows what can be undone."
    throw new UserError("not-found", `There is no operation ${target} that changed a memory; ${advice}`)
  }
  if (await isUndone(transaction, target)) {
    const advice = "`reverie undo --list` shows what can be undone."
    throw new UserError("conflict", `${target} is already undone; ${advice}`)
  }
}

/** The data of a journal entry about a memory. */
export interface MemoryImages {
  before: Memory | null
  after: Memory | null
  /** Whether the texts in the images were purged. */
  purged?: boolean
}

/** When a change is made, and by which operation. */
type Stamp = Pick<MemoryChange, "at" | "by">

/** An operation's entries of some kinds, newest first, in pages. */
export function entriesBackwards(on: Reader, operation: string, kind: string | readonly string[]) {
  return pagesOf<JournalEntry>(batchSize, (last) =>
    readJournal(on, { operation, kind, before: last?.seq, limit: batchSize, newestFirst: true }),
  )
}

/** Reverts an operation's changes, newest first, in batches. */
export async function revertOperation(transaction: Transaction, target: string, stamp: Stamp) {
  const changed = new Set<string>()
  let summary = ""
  let links = ""
  for await (const entries of entriesBackwards(transaction, target, undoable)) {
    const isEdge = (entry: JournalEntry) => entry.kind.startsWith("edge.")
    await revertEdges(transaction, entries.filter(isEdge), stamp)
    links ||= linkText(entries.find(isEdge))
    const isTag = (entry: JournalEntry) => entry.kind.startsWith("tag.")
    await revertDescriptions(transaction, entries.filter(isTag), stamp)
    links ||= entries.find(isTag)?.subject ?? ""
    const memories = entries.filter((entry) => !isEdge(entry) && !isTag(entry))
    const changes = await inverseChanges(transaction, memories, stamp)
    await removeLinksOfRemoved(transaction, changes, stamp)
    await changeMemories(transaction, changes)
    for (const entry of entries) changed.add(entry.subject ?? "")
    const oldest = changes.at(-1)
    if (oldest) summary = (oldest.before ?? oldest.after)?.content ?? ""
  }
  return {
    changes: changed.size,
    summary: changed.size > 1 ? count(changed.size, "memory", "memories") : summary || links,
  }
}

async function revertDescriptions(transaction: Transaction, entries: JournalEntry[], { at, by }: Stamp) {
  for (const { subject, data } of entries) {
    const { before } = data as DescriptionChange
    await putDescription(transaction, (subject ?? "").slice("tag:".length), before, at, by)
  }
}

function linkText(entry: JournalEntry | undefined): string {
  if (entry === undefined) return ""
  const { before, after } = entry.data as EdgeImages
  const edge = after ?? before
  return edge ? `${edge.source} ${edge.kind} ${edge.target}` : ""
}

/** Restores edges, also those whose weight a later operation changed. */
async function revertEdges(transaction: Transaction, entries: JournalEntry[], stamp: Stamp): Promise<void> {
  for (const entry of entries) {
    const { before, after } = entry.data as EdgeImages
    const edge = after ?? before
    const now = edge ? ((await findEdge(transaction, edge)) ?? null) : null
    if (now === null && before === null) continue
    if (before && now === null && (await hasPurgedEnd(transaction, before))) continue
    await changeEdges(transaction, [{ before: now, after: before, ...stamp }])
  }
}

/** Whether one end of an edge was purged. */
async function hasPurgedEnd(transaction: Transaction, { source, target }: Edge): Promise<boolean> {
  for (const subject of [source, target]) {
    const [purged] = await readJournal(transaction, { subject, kind: purgedKind, limit: 1 })
    if (purged) return true
  }
  return false
}

/** Journals the removal of the edges of removed memories, so that an undo restores them too. */
async function removeLinksOfRemoved(transaction: Transaction, changes: MemoryChange[], stamp: Stamp) {
  const going = changes.flatMap(({ before, after }) => (before && !after ? [before.id] : []))
  const edges = await edgesAt(transaction, going, linkKinds)
  await changeEdges(
    transaction,
    edges.map((edge) => ({ before: edge, after: null, ...stamp })),
  )
}

/** The changes that revert these entries, newest first. */
async function inverseChanges(
  transaction: Transaction,
  entries: JournalEntry[],
  stamp: Stamp,
): Promise<MemoryChange[]> {
  const current = await findMemories(transaction, [...new Set(entries.map((entry) => entry.subject ?? ""))])
  const changes: MemoryChange[] = []
  for (const entry of entries) {
    const id = entry.subject ?? ""
    const images = entry.data as MemoryImages
    if (images.purged) refusePurged(entry)
    const now = current.get(id) ?? null
    if (now?.version !== images.after?.version)
      throw new UserError("conflict", await changedSince(transaction, id))
    const kind = images.before === null ? "memory.removed" : "memory.restored"
    changes.push({ kind, before: now, after: images.before, ...stamp })
    if (images.before) current.set(id, images.before)
    else current.delete(id)
  }
  return changes
}

function refusePurged({ kind, subject, operation }: JournalEntry): never {
  const what =
    kind === purgedKind
      ? `${operation} purged memories`
      : `${operation} changed ${subject}, which was purged since`
  const advice = "`reverie undo --list` shows what else can be undone."
  throw new UserError("conflict", `${what}; a purge cannot be undone. ${advice}`)
}

/** Says which later operation changed a memory. */
export async function changedSince(transaction: Transaction, id: string): Promise<string> {
  const query = { subject: id, kind: "memory.", limit: 1, newestFirst: true, imported: false as const }
  const [last] = await readJournal(transaction, query)
  return `${id} was changed again since, by ${last?.operation ?? "something else"}; undo that first.`
}
