import type { InstallCore } from "../../storage/core.ts"
import { sql } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"

/** A text in `recall_states`, under the id of a session or another name. */
export interface StateRow {
  text: string
  /** 0 for a new row. */
  version: number
}

interface SaveOptions {
  at: number
  /** Merges both texts where another program has saved the row since it was read. */
  join(ours: string, theirs: string): string
  /** Other writes of the same transaction. */
  also?: ((transaction: Transaction) => Promise<void>) | undefined
}

export async function readRow(on: Reader, name: string): Promise<StateRow | undefined> {
  const [row] = await on.read<StateRow>(
    sql`select state as text, version from recall_states where session = ${name}`,
  )
  return row
}

/** Saves a row, and returns it as it is now. */
export function saveRow(
  { db, install }: Pick<InstallCore, "db" | "install">,
  name: string,
  wanted: StateRow,
  { at, join, also }: SaveOptions,
): Promise<StateRow> {
  return db.write(async (transaction) => {
    const there = await readRow(transaction, name)
    const isChanged = there !== undefined && there.version !== wanted.version
    const text = isChanged ? join(wanted.text, there.text) : wanted.text
    const version = (there?.version ?? 0) + 1
    await transaction.run(sql`
      insert into recall_states (session, install, state, version, updated_at)
      values (${name}, ${install}, ${text}, ${version}, ${at})
      on conflict (session) do update set
        state = excluded.state, version = excluded.version, updated_at = excluded.updated_at`)
    await also?.(transaction)
    return { text, version }
  })
}

/** Deletes the states that were not updated since a time. */
export async function deleteOldStates({ db }: Pick<InstallCore, "db">, before: number): Promise<number> {
  return db.write((transaction) =>
    transaction.run(sql`delete from recall_states where updated_at < ${before}`),
  )
}

/** Deletes all briefs, which contain trigger words of memories; they are built again when needed. */
export async function eraseBriefs(transaction: Transaction): Promise<void> {
  await transaction.run(sql`delete from recall_states where session like 'brief:%'`)
}
