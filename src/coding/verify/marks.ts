import { z } from "zod"
import { readStored, store } from "../../memory/garden/stored-marks.ts"
import type { Database } from "../../storage/database.ts"
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
  return roundSchema.optional().parse(await readStored(on, nameOf(install, project)))
}

export async function keepRound(
  db: Database,
  { install, project, now }: { install: string; project: string; now: number },
  round: Round,
): Promise<void> {
  await db.write((transaction) => store(transaction, nameOf(install, project), round, now))
}
