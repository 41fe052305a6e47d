import { sql } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"

/** What is stored under a name about how far some work has come; undefined for nothing. */
export async function readStored(on: Reader, name: string): Promise<unknown> {
  const [row] = await on.read<{ mark: string }>(sql`select mark from garden_marks where name = ${name}`)
  return row && JSON.parse(row.mark)
}

/** Stores how far some work has come, over what stood under its name. */
export async function store(
  transaction: Transaction,
  name: string,
  mark: unknown,
  now: number,
): Promise<void> {
  await transaction.run(sql`
    insert into garden_marks (name, mark, updated_at) values (${name}, ${JSON.stringify(mark)}, ${now})
    on conflict (name) do update set mark = excluded.mark, updated_at = excluded.updated_at`)
}
