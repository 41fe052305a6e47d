import { z } from "zod"
import { readStored, saveStored } from "../../memory/garden/marks.ts"
import type { Database } from "../../storage/database.ts"
import type { Reader } from "../../storage/transaction.ts"

const roundSchema = z.object({
  /** The commits that the round checks against. */
  standing: z.string(),
  startedAt: z.number(),
  /** The number of the last memory that was checked. */
  after: z.number(),
  isDone: z.boolean(),
})

/** How far this installation has checked a project's memories. */
export type Round = z.infer<typeof roundSchema>

function nameOf(install: string, project: string): string {
  return `facts/${install}/${project}`
}

export async function readRound(on: Reader, install: string, project: string): Promise<Round | undefined> {
  return roundSchema.optional().parse(await readStored(on, nameOf(install, project)))
}

export async function saveRound(
  db: Database,
  { install, project, now }: { install: string; project: string; now: number },
  round: Round,
): Promise<void> {
  await db.write((transaction) => saveStored(transaction, nameOf(install, project), round, now))
}
