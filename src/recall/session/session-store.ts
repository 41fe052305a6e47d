import type { Database } from "../../storage/database.ts"
import { sql } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"

/** Something kept under a name, as text, with the number of its version. */
export interface Kept {
  text: string
  /** 0 for what was never kept. */
  version: number
}

interface StateStore {
  db: Database
  install: string
}

interface Keeping {
  at: number
  join(ours: string, theirs: string): string
  also?: ((transaction: Transaction) => Promise<void>) | undefined
}

/** What is kept under a name. */
export async function readKept(on: Reader, name: string): Promise<Kept | undefined> {
  const [row] = await on.read<Kept>(
    sql`select state as text, version from recall_states where session = ${name}`,
  )
  return row
}

/**
 * Keeps a text under a name, with whatever else belongs to the same change. Where another program has kept something
 * there meanwhile, `join` makes one of both. Returns what is kept now.
 */
export function keep(
  { db, install }: StateStore,
  name: string,
  wanted: Kept,
  { at, join, also }: Keeping,
): Promise<Kept> {
  return db.write(async (transaction) => {
    const there = await readKept(transaction, name)
    const isOvertaken = there !== undefined && there.version !== wanted.version
    const text = isOvertaken ? join(wanted.text, there.text) : wanted.text
    const version = (there?.version ?? 0) + 1
    await put(transaction, install, name, { text, version }, at)
    await also?.(transaction)
    return { text, version }
  })
}

async function put(
  transaction: Transaction,
  install: string,
  name: string,
  { text, version }: Kept,
  at: number,
): Promise<void> {
  await transaction.run(sql`
    insert into recall_states (session, install, state, version, updated_at)
    values (${name}, ${install}, ${text}, ${version}, ${at})
    on conflict (session) do update set
      state = excluded.state, version = excluded.version, updated_at = excluded.updated_at`)
}

/** Forgets states that nobody touched since a time; sessions that old begin anew. */
export async function forgetOldStates({ db }: StateStore, before: number): Promise<number> {
  return db.write((transaction) =>
    transaction.run(sql`delete from recall_states where updated_at < ${before}`),
  )
}

/** Forgets what was prepared for projects: it has words of memories in it, and is made anew from what is left. */
export async function eraseBriefs(transaction: Transaction): Promise<void> {
  await transaction.run(sql`delete from recall_states where session like 'brief:%'`)
}
