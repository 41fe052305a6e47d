import type { Database } from "./database.ts"
import { joinSql, type Sql, sql, sqlRows } from "./sql.ts"
import type { Reader, Transaction } from "./transaction.ts"

/** What happened, as noun.past-verb. */
export type JournalKind = `${string}.${string}`

/** One thing that happened, written in the same transaction as the change it tells of. */
export interface JournalEntry {
  seq: number
  at: number
  kind: JournalKind
  /** What it happened to, such as a memory's id. */
  subject: string | null
  /** All entries of one command, request or cycle share one operation; undo works on operations. */
  operation: string
  /** Who did it: cli, api, daemon, ... */
  actor: string
  /** The installation that wrote it, which tells machines apart that share a memory; null where it is not known. */
  machine: string | null
  data: unknown
}

/** Who acts, and under which operation. A repeated operation id is the same act sent again. */
export interface By {
  operation: string
  actor: string
  /** The session of the agent that acts, where one does. */
  agent?: AgentSession | undefined
}

/** An agent's session over MCP, and how many memories it may take out of sight. */
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
  /** It happened in another store and came along with an import; undo leaves it alone. */
  imported?: boolean
  /** Where it happened, of an entry that came along with an import. */
  machine?: string | null | undefined
}

/** Adds an entry in the caller's transaction. */
export async function appendEntry(transaction: Transaction, entry: NewEntry): Promise<void> {
  await appendEntries(transaction, [entry])
}

/** Adds entries in their order, in the caller's transaction. */
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

/** Replaces what entries told that fulfil a condition: for a purge, and nothing else. */
export async function rewriteEntries(transaction: Transaction, where: Sql, data: object): Promise<void> {
  await transaction.run(sql`update journal set data = ${JSON.stringify(data)} where ${where}`)
}

interface JournalQuery {
  /** Entries after this number. */
  after?: number | undefined
  /** Entries before this number. */
  before?: number | undefined
  operation?: string | undefined
  subject?: string | undefined
  /** False leaves out what came along with imports. */
  imported?: false | undefined
  /** Kinds that begin so, or with one of these, such as "memory.". */
  kind?: string | readonly string[] | undefined
  /** One more condition on the columns of an entry. */
  where?: Sql | undefined
  limit?: number | undefined
  newestFirst?: boolean | undefined
}

/** Reads entries in order. Journal order is commit order in both databases, so nothing appears behind a reader. */
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

/** The condition for kinds that begin so, or with one of these. */
export function kindBegins(beginning: string | readonly string[]): Sql {
  const each = [beginning].flat().map((one) => sql`kind like ${`${one}%`}`)
  return sql`(${joinSql(each, sql` or `)})`
}

/** The number of the newest entry, 0 for none. */
export async function lastEntry(on: Reader): Promise<number> {
  const [row] = await on.read<{ seq: number | null }>(sql`select max(seq) as seq from journal`)
  return row?.seq ?? 0
}

/** Hands over every entry after `after`, as they are committed by any process, until the signal aborts. */
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
