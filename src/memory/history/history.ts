import { type Clock, nextTurn } from "../../base/clock.ts"
import { UserError } from "../../base/errors.ts"
import { count } from "../../base/text/text.ts"
import type { Database } from "../../storage/database.ts"
import { appendEntry, type By, type JournalEntry, kindBegins, readJournal } from "../../storage/journal.ts"
import {
  kindsWhere,
  newestOperations,
  type OperationRow,
  operationsWhere,
} from "../../storage/journal-queries.ts"
import { earlierResult } from "../../storage/operation.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"
import { agentSessionOf } from "../model/agents/agent-session.ts"
import type { Memory } from "../model/memory.ts"
import { batchSize } from "../model/store/batch.ts"
import { changeMemories, type MemoryChange } from "../model/store/change.ts"
import { changeEdges, type Edge, edgesAt, findEdge, linkKinds } from "../model/store/graph.ts"
import { findMemories } from "../model/store/store.ts"
import { isUndone } from "../model/store/undone.ts"
import { type DescriptionChange, putDescription } from "../topics/tags/describe.ts"
import type { EdgeImages } from "../write/change/operation.ts"
import { deedWord } from "./deed-word.ts"

/** The kind of the entry that says a memory is gone for good. */
export const purgedKind = "memory.purged"

/** The kinds of entries that undo takes back. */
export const undoable = ["memory.", "edge.", "tag."]

/** What only notes that a memory was used or looked at again; nobody means that by undo. */
const bookkeeping = ["memory.used", "memory.verified", "memory.doubted"]
const isChange = sql`${kindBegins(undoable)} and kind not in ${sqlList(bookkeeping)}`

/** One operation as a person would name it when undoing. */
export interface OperationSummary {
  operation: string
  at: number
  actor: string
  /** How many memories it changed. */
  changes: number
  /** The first thing it did, such as memory.saved. */
  kind: string
  /** Whether its effect is taken back at present. */
  undone: boolean
  /** The operation this one took back, if it is an undo. */
  undoes: string | null
  /** The session of the agent that did it; `undo` takes back all of it by this name. */
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
  const [first] = await readJournal(on, {
    after: row.first - 1,
    operation: row.operation,
    kind: undoable,
    limit: 1,
  })
  const [undo] = await readJournal(on, { operation: row.operation, kind: "operation.undone", limit: 1 })
  return {
    operation: row.operation,
    at: row.at,
    actor: row.actor,
    changes: row.changes,
    kind: first?.kind ?? "memory.saved",
    undone: await isUndone(on, row.operation),
    undoes: undo?.subject ?? null,
    session: agentSessionOf(row.operation),
  }
}

export interface Undone {
  /** The operation that was taken back. */
  undid: string
  /** The operation that did so; undoing it brings everything back. */
  operation: string
  changes: number
  summary: string
  /** What the operation had done, as a word such as "added". */
  did?: string
  /** What was taken back was itself an undo, so that the change is there again. */
  broughtBack?: true
}

/** Takes back one operation, by default the newest that still stands; refuses if newer changes would be lost. */
export async function undo(
  needs: { db: Database; clock: Clock },
  by: By,
  operation?: string,
): Promise<Undone> {
  return needs.db.write(async (transaction) => {
    const earlier = await earlierUndo(transaction, by)
    if (earlier) return earlier
    const target =
      operation === undefined
        ? await newestStanding(transaction)
        : await operationNamed(transaction, operation)
    await refuseImpossible(transaction, target)
    const did = await deedOf(transaction, target)
    const { changes, summary } = await takeBack(transaction, target, needs.clock.now(), by)
    const again = (await isUndo(transaction, target)) ? { broughtBack: true as const } : {}
    const undone: Undone = { undid: target, operation: by.operation, changes, summary, did, ...again }
    const entry = {
      ...by,
      at: needs.clock.now(),
      kind: "operation.undone" as const,
      subject: target,
      data: undone,
    }
    await appendEntry(transaction, entry)
    return undone
  })
}

/** What an operation did, in a word: one word only where all of it was the same. */
async function deedOf(on: Reader, operation: string): Promise<string> {
  const isDeed = sql`operation = ${operation} and ${isChange} and kind not like 'edge.%'`
  const [only, another] = await kindsWhere(on, isDeed)
  if (only === undefined) return "linked"
  return another === undefined ? deedWord(only) : "changed"
}

/** What this operation took back before, if it is sent a second time. */
function earlierUndo(transaction: Transaction, by: By): Promise<Undone | undefined> {
  return earlierResult(transaction, by, {
    kind: "operation.undone",
    read: ([undone]) => undone?.data as Undone | undefined,
  })
}

/**
 * Walks back through the journal to the newest operation of this store that is neither an undo nor undone. What the
 * daemon, recall or a cycle did by itself is taken back only by its name: whoever says undo means what they did.
 */
async function newestStanding(transaction: Transaction): Promise<string> {
  const seen: string[] = []
  for (;;) {
    const isTheirs = sql`${isChange} and actor not in ('daemon', 'recall', 'ambient')
      and operation not in ${sqlList(["", ...seen])}`
    const query = { where: isTheirs, imported: false as const, newestFirst: true, limit: 1 }
    const [newest] = await readJournal(transaction, query)
    if (newest === undefined) throw new UserError("not-found", "There is nothing to undo.")
    const { operation } = newest
    if (!(await isUndo(transaction, operation)) && !(await isUndone(transaction, operation))) return operation
    seen.push(operation)
  }
}

const leastPart = 4

/** An operation by its id, or by the beginning or end of it where no other has that. */
async function operationNamed(on: Reader, named: string): Promise<string> {
  const part = named.replaceAll(/[\\%_]/g, "\\$&")
  const isNamed = sql`operation = ${named}
    or (${named.length} >= ${leastPart} and ${kindBegins(undoable)} and imported = 0
      and (operation like ${`${part}%`} escape '\\' or operation like ${`%${part}`} escape '\\'))`
  const found = await operationsWhere(on, isNamed, 20)
  const exact = found.find((operation) => operation === named)
  if (exact === undefined && found.length > 1)
    throw new UserError("usage", `Several operations begin or end with ${named}; give more of it.`)
  return exact ?? found[0] ?? named
}

async function isUndo(on: Reader, operation: string): Promise<boolean> {
  return (await readJournal(on, { operation, kind: "operation.undone", limit: 1 })).length > 0
}

async function refuseImpossible(transaction: Transaction, target: string): Promise<void> {
  const entries = await readJournal(transaction, { operation: target, kind: undoable, limit: 1 })
  if (entries.length === 0) {
    const advice = "`reverie undo --list` shows what can be undone."
    throw new UserError("not-found", `There is no operation ${target} that changed a memory; ${advice}`)
  }
  if (await isUndone(transaction, target)) {
    const advice = "`reverie undo --list` shows what still stands."
    throw new UserError("conflict", `${target} is undone already; ${advice}`)
  }
}

/** What an entry of a memory's change carries. */
export interface Images {
  before: Memory | null
  after: Memory | null
  /** What the images said was purged. */
  purged?: boolean
}

/** Takes back an operation's changes one by one, newest first, a batch at a time. */
export async function takeBack(transaction: Transaction, target: string, at: number, by: By) {
  const changed = new Set<string>()
  let summary = ""
  let links = ""
  let before: number | undefined
  for (;;) {
    const query = { operation: target, kind: undoable, before, limit: batchSize, newestFirst: true }
    const entries = await readJournal(transaction, query)
    if (entries.length === 0) break
    before = entries.at(-1)?.seq
    const isEdge = (entry: JournalEntry) => entry.kind.startsWith("edge.")
    await takeBackEdges(transaction, entries.filter(isEdge), at, by)
    links ||= linkText(entries.find(isEdge))
    const isTag = (entry: JournalEntry) => entry.kind.startsWith("tag.")
    await takeBackDescriptions(transaction, entries.filter(isTag), at, by)
    links ||= entries.find(isTag)?.subject ?? ""
    const memories = entries.filter((entry) => !isEdge(entry) && !isTag(entry))
    const changes = await reversed(transaction, memories, at, by)
    await loosen(transaction, changes, at, by)
    await changeMemories(transaction, changes)
    for (const entry of entries) changed.add(entry.subject ?? "")
    const oldest = changes.at(-1)
    if (oldest) summary = (oldest.before ?? oldest.after)?.content ?? ""
    await nextTurn()
  }
  return {
    changes: changed.size,
    summary: changed.size > 1 ? count(changed.size, "memory", "memories") : summary || links,
  }
}

/** Puts what tags meant back as it was. */
async function takeBackDescriptions(
  transaction: Transaction,
  entries: readonly JournalEntry[],
  at: number,
  by: By,
): Promise<void> {
  for (const { subject, data } of entries) {
    const { before } = data as DescriptionChange
    await putDescription(transaction, (subject ?? "").slice("tag:".length), before, at, by)
  }
}

/** An edge's entry in words. */
function linkText(entry: JournalEntry | undefined): string {
  if (entry === undefined) return ""
  const { before, after } = entry.data as EdgeImages
  const edge = after ?? before
  return edge ? `${edge.source} ${edge.kind} ${edge.target}` : ""
}

/** Puts edges back as they were; one that a later act weighed anew goes back all the same. */
async function takeBackEdges(
  transaction: Transaction,
  entries: readonly JournalEntry[],
  at: number,
  by: By,
): Promise<void> {
  for (const entry of entries) {
    const { before, after } = entry.data as EdgeImages
    const edge = after ?? before
    const now = edge ? ((await findEdge(transaction, edge)) ?? null) : null
    if (now === null && before === null) continue
    if (before && now === null && (await hasPurgedEnd(transaction, before))) continue
    await changeEdges(transaction, [{ before: now, after: before, at, by }])
  }
}

/** Whether an edge would lead to a memory that is gone for good. */
async function hasPurgedEnd(transaction: Transaction, { source, target }: Edge): Promise<boolean> {
  for (const subject of [source, target]) {
    const [purged] = await readJournal(transaction, { subject, kind: purgedKind, limit: 1 })
    if (purged) return true
  }
  return false
}

/** Notes the edges that go with memories that go, so that bringing those back brings the edges back. */
async function loosen(
  transaction: Transaction,
  changes: readonly MemoryChange[],
  at: number,
  by: By,
): Promise<void> {
  const going = changes.flatMap(({ before, after }) => (before && !after ? [before.id] : []))
  const edges = await edgesAt(transaction, going, linkKinds)
  await changeEdges(
    transaction,
    edges.map((edge) => ({ before: edge, after: null, at, by })),
  )
}

/** The changes that lead back from these entries, newest first. */
async function reversed(
  transaction: Transaction,
  entries: JournalEntry[],
  at: number,
  by: By,
): Promise<MemoryChange[]> {
  const current = await findMemories(transaction, [...new Set(entries.map((entry) => entry.subject ?? ""))])
  const changes: MemoryChange[] = []
  for (const entry of entries) {
    const id = entry.subject ?? ""
    const images = entry.data as Images
    if (images.purged) refusePurged(entry)
    const now = current.get(id) ?? null
    if (now?.version !== images.after?.version)
      throw new UserError("conflict", await changedSince(transaction, id))
    // What comes again is restored; what was added and is taken back is gone.
    const kind = images.before === null ? "memory.removed" : "memory.restored"
    changes.push({ kind, before: now, after: images.before, at, by })
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
  throw new UserError("conflict", `${what}; a purge cannot be taken back. ${advice}`)
}

/** That a memory was changed again, and by which operation. */
export async function changedSince(transaction: Transaction, id: string): Promise<string> {
  const query = { subject: id, kind: "memory.", limit: 1, newestFirst: true, imported: false as const }
  const [last] = await readJournal(transaction, query)
  return `${id} was changed again since, by ${last?.operation ?? "something else"}; undo that first.`
}
