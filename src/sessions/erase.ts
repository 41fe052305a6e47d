import { sql, sqlList } from "../storage/sql.ts"
import type { Transaction } from "../storage/transaction.ts"

/** Deletes the words of the sessions of some projects, or of all sessions. That they were stays known. Tells how many turns. */
export async function eraseTurns(
  transaction: Transaction,
  projects: readonly string[] | "all",
): Promise<number> {
  const where = projects === "all" ? sql`true` : sql`project in ${sqlList(projects)}`
  const turns = await transaction.run(
    sql`delete from turns where session in (select id from sessions where ${where})`,
  )
  await transaction.run(sql`update sessions set title = null where ${where}`)
  return turns
}
