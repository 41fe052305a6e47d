import { z } from "zod"
import type { Database } from "../../storage/database.ts"
import type { Reader } from "../../storage/transaction.ts"
import type { OpenQuestion } from "./garden.ts"
import { readStored, store } from "./stored-marks.ts"

const markSchema = z.object({
  /** How far the present round has come. */
  after: z.number().default(0),
  /** The newest journal entry when the round began; without newer ones another round finds nothing new. */
  entry: z.number().default(0),
  isDone: z.boolean().default(false),
  /** The scope within which `after` counts, and the newest entry that the round before knew; for works that need them. */
  place: z.string().default(""),
  since: z.number().default(0),
})

/** How far an operation of the garden has come: it goes on from there after a crash or a full cycle. */
export type Mark = z.infer<typeof markSchema>

export async function readMark(on: Reader, name: string): Promise<Mark> {
  return markSchema.parse((await readStored(on, name)) ?? {})
}

export async function keepMark(db: Database, name: string, mark: Mark, now: number): Promise<void> {
  await db.write((transaction) => store(transaction, name, mark, now))
}

/** A question by what it is about: asked once, it is not asked again while its memories stay. */
export function keyOf({ kind, memories }: OpenQuestion): string {
  return [kind, ...memories.map(({ id }) => id).sort()].join(" ")
}

const pairsSchema = z.array(
  z.object({ kind: z.enum(["duplicate", "contradiction"]), ids: z.array(z.string()), note: z.string() }),
)

/** A question that waits to be asked, without the words it is about. */
export type WaitingQuestion = z.infer<typeof pairsSchema>[number]

/** The questions that a kind of work has found and that wait for somebody to ask. */
export async function readWaiting(on: Reader, name: string): Promise<WaitingQuestion[]> {
  return pairsSchema.parse((await readStored(on, name)) ?? [])
}

export async function keepWaiting(
  db: Database,
  name: string,
  waiting: readonly WaitingQuestion[],
  now: number,
): Promise<void> {
  await db.write((transaction) => store(transaction, name, waiting, now))
}

const askedName = "asked"
/** Older questions are forgotten, and may be asked once more. */
const mostAsked = 2000

/** The questions that a model was shown already. */
export async function readAsked(on: Reader): Promise<Set<string>> {
  return new Set(z.array(z.string()).parse((await readStored(on, askedName)) ?? []))
}

/** Notes questions as asked, whatever came of them: the same thing is not paid for twice. */
export async function markAsked(
  db: Database,
  questions: readonly OpenQuestion[],
  now: number,
): Promise<void> {
  const all = [...(await readAsked(db)), ...questions.map(keyOf)].slice(-mostAsked)
  await db.write((transaction) => store(transaction, askedName, all, now))
}
