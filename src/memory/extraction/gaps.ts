import { sql, sqlList } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"

/** A question that memory could not answer. */
export interface Gap {
  id: string
  question: string
}

/** How many open questions are shown to whoever reads a session. */
const mostShown = 10

/** The open questions of a project and of no project, the most asked first. */
export function openGaps(on: Reader, install: string, projects: readonly string[]): Promise<Gap[]> {
  return on.read<Gap>(sql`
    select id, question from gaps
    where install = ${install} and closed_at is null and (project is null or project in ${sqlList(projects)})
    order by times desc, at desc, id limit ${mostShown}`)
}

/** Notes which memory answers a question now. */
export async function closeGap(
  transaction: Transaction,
  gap: string,
  memory: string,
  at: number,
): Promise<void> {
  await transaction.run(
    sql`update gaps set closed_at = ${at}, closed_by = ${memory} where id = ${gap} and closed_at is null`,
  )
}
