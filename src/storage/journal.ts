import { newId, type Random } from "../base/random.ts"
import type { Database } from "./database.ts"
import { joinSql, type Sql, sql, sqlRows } from "./sql.ts"
import type { Reader, Transaction } from "./transaction.ts"

/** The kind of an entry, as noun.past-verb: `memory.saved`. */
export type JournalKind = `${string}.${string}`

/** One event, written in the same transaction as the change it records. */
export interface JournalEntry {
  seq: number
  at: number
  kind: JournalKind
  /** The id of what changed, such as a memory's. */
  subject: string | null
  /** All entries of one command, request or cycle share one operation; undo works on operations. */
  operation: string
  /** Who did it: cli, api, daemon, ... */
  actor: string
  /** The installation that wrote it, for machines that share a memory; null if unknown. */
  machine: string | null
  data: unknown
}

/** Who acts, and under which operation. A repeated operation id is the same request sent again. */
export interface By {
  operation: string
  actor: string
  /** The session of the agent that acts, if it is one. */
  agent?: AgentSession | undefined
}

/** A new operation by this actor. */
export function newOperation({ random }: { random: Random }, actor: string): By {
  return { operation: newId(random, "op"), actor }
}

/** An agent's session over MCP, and how many memories it may hide. */
export interface AgentSession {
  session: string
  install: string
  lossLimit: number
}

export interface NewEntry extends By {
  at: number
  kind: JournalKind
  subject?: string | null
  data?: unknown
  /** It was recorded in another database and imported from there; undo ignores it. */
  imported?: boolean
  /** The installation that wrote an imported entry. */
  machine?: string | null | undefined
}

/** Appends an entry in the caller's transaction. */
export async function appendEntry(transaction: Transaction, entry: NewEntry): Promise<void> {
  await appendEntries(transaction, [entry])
}

/** Appends entries in order, in the caller's transaction. */
export async function appendEntries(transaction: Transaction, entries: readonly NewEntry[]): Promise<void> {
  if (entries.length === 0) return
  const rows = entries.map((entry) => {
    const { at, kind, subject = null, operation, actor, imported = false, data = {} } = entry
    const machine = imported ? (entry.machine ?? null) : (transaction.install ?? null)
    return [at, kind, subject, operation, actor, imported ? 1 : 0, machine, JSON.stringify(data)]
  })
  await transaction.run(
    sql`insert into journal (at, kind, subject, operation, actor, imported, install, data) values ${sqlRows(rows)}`,
  )
}

/** Replaces the data of the matching entries. Only a purge may do that. */
export async function rewriteEntries(transaction: Transaction, where: Sql, data: object): Promise<void> {
  await transaction.run(sql`update journal set data = ${JSON.stringify(data)} where ${where}`)
}

interface JournalQuery {
  /** Entries with a greater `seq`. */
  after?: number | undefined
  /** Entries with a smaller `seq`. */
  before?: number | undefined
  operation?: string | undefined
  subject?: string | undefined
  /** False excludes imported entries. */
  imported?: false | undefined
  /** Prefixes of kinds, such as "memory.". */
  kind?: string | readonly string[] | undefined
  /** A further condition on the journal's columns. */
  where?: Sql | undefined
  limit?: number | undefined
  newestFirst?: boolean | undefined
}

/** Reads entries in order. Journal order is commit order in both databases, so a reader misses nothing. */
export async function readJournal(on: Reader, query: JournalQuery): Promise<JournalEntry[]> {
  const conditions: Sql[] = [sql`seq > ${query.after ?? 0}`]
  if (query.before !== undefined) conditions.push(sql`seq < ${query.before}`)
  if (query.operation !== undefined) conditions.push(sql`operation = ${query.operation}`)
  if (query.subject !== undefined) conditions.push(sql`subject = ${query.subject}`)
  if (query.kind !== undefined) conditions.push(kindBegins(query.kind))
  if (query.where !== undefined) conditions.push(query.where)
  if (query.imported === false) conditions.push(sql`imported = 0`)
  const order = query.newestFirst ? sql`desc` : sql`asc`
  const rows = await on.read<JournalEntry & { data: string }>(sql`
    select seq, at, kind, subject, operation, actor, install as machine, data from journal
    where ${joinSql(conditions, sql` and `)} order by seq ${order} limit ${query.limit ?? 1000}`)
  return rows.map((row) => ({ ...row, data: JSON.parse(row.data) }))
}

/** The condition for kinds with one of these prefixes. */
export function kindBegins(beginning: string | readonly string[]): Sql {
  const each = [beginning].flat().map((one) => sql`kind like ${`${one}%`}`)
  return sql`(${joinSql(each, sql` or `)})`
}

/** The `seq` of the newest entry; 0 for none. */
export async function lastEntry(on: Reader): Promise<number> {
  const [row] = await on.read<{ seq: number | null }>(sql`select max(seq) as seq from journal`)
  return row?.seq ?? 0
}

/** Yields every entry after `after`, as any process commits them, until the signal aborts. */
export async function* followJournal(
  needs: { db: Database },
  after: number,
  signal: AbortSignal,
): AsyncGenerator<JournalEntry> {
  let wake = () => {}
  let changed = true
  const news = () => {
    changed = true
    wake()
  }
  const stop = needs.db.onCommit(news)
  signal.addEventListener("abort", news, { once: true })
  let position = after
  try {
    while (!signal.aborted) {
      if (!changed)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      changed = false
      for (const entry of await readJournal(needs.db, { after: position, limit: 500 })) {
        position = entry.seq
        changed = true
        if (signal.aborted) return
        yield entry
      }
    }
  } finally {
    stop()
    signal.removeEventListener("abort", news)
  }
}
