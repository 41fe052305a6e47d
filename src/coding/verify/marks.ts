import { z } from "zod"
import type { Database } from "../../storage/database.ts"
import { sql } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"

const roundSchema = z.object({
  /** The commits the round looks at. */
  standing: z.string(),
  startedAt: z.number(),
  /** The number of the last memory that was looked at. */
  after: z.number(),
  isDone: z.boolean(),
})

/** How far a round over a project's memories has come, on this installation. */
export type Round = z.infer<typeof roundSchema>

function nameOf(install: string, project: string): string {
  return `facts/${install}/${project}`
}

export async function readRound(on: Reader, install: string, project: string): Promise<Round | undefined> {
  const [row] = await on.read<{ mark: string }>(
    sql`select mark from garden_marks where name = ${nameOf(install, project)}`,
  )
  return row && roundSchema.parse(JSON.parse(row.mark))
}

export async function keepRound(
  db: Database,
  { install, project, now }: { install: string; project: string; now: number },
  round: Round,
): Promise<void> {
  await db.write((transaction) =>
    transaction.run(sql`
      insert into garden_marks (name, mark, updated_at)
      values (${nameOf(install, project)}, ${JSON.stringify(round)}, ${now})
      on conflict (name) do update set mark = excluded.mark, updated_at = excluded.updated_at`),
  )
}
