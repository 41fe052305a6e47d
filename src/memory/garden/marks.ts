import { z } from "zod"
import type { Database } from "../../storage/database.ts"
import { sql } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"
import type { OpenQuestion } from "./garden.ts"

/** The JSON value stored under a name; undefined if there is none. */
export async function readStored(on: Reader, name: string): Promise<unknown> {
  const [row] = await on.read<{ mark: string }>(sql`select mark from garden_marks where name = ${name}`)
  return row && JSON.parse(row.mark)
}

/** Stores a JSON value under a name, and replaces what was there. */
export async function saveStored(
  transaction: Transaction,
  name: string,
  mark: unknown,
  now: number,
): Promise<void> {
  await transaction.run(sql`
    insert into garden_marks (name, mark, updated_at) values (${name}, ${JSON.stringify(mark)}, ${now})
    on conflict (name) do update set mark = excluded.mark, updated_at = excluded.updated_at`)
}

const markSchema = z.object({
  /** The `seq` of the last memory that the current round has handled. */
  after: z.number().default(0),
  /** The newest journal entry when the round began; the next round starts only after newer ones. */
  entry: z.number().default(0),
  isDone: z.boolean().default(false),
  /** The scope that `after` refers to, and the `entry` of the round before; only some kinds of work use them. */
  place: z.string().default(""),
  since: z.number().default(0),
})

/** How far a kind of work has come; the next pass continues there. */
export type Mark = z.infer<typeof markSchema>

export async function readMark(on: Reader, name: string): Promise<Mark> {
  return markSchema.parse((await readStored(on, name)) ?? {})
}

/** Saves a mark, or the questions that wait, in a transaction of its own. */
export async function saveMark(
  db: Database,
  name: string,
  mark: Mark | readonly WaitingQuestion[],
  now: number,
): Promise<void> {
  await db.write((transaction) => saveStored(transaction, name, mark, now))
}

/** Identifies a question by its kind and memories: it is asked once. */
export function keyOf({ kind, memories }: OpenQuestion): string {
  return [kind, ...memories.map(({ id }) => id).sort()].join(" ")
}

const pairsSchema = z.array(
  z.object({ kind: z.enum(["duplicate", "contradiction"]), ids: z.array(z.string()), note: z.string() }),
)

/** A question that waits to be asked, without the memories' texts. */
export type WaitingQuestion = z.infer<typeof pairsSchema>[number]

/** The questions of a kind of work that wait to be asked. */
export async function readWaiting(on: Reader, name: string): Promise<WaitingQuestion[]> {
  return pairsSchema.parse((await readStored(on, name)) ?? [])
}

const askedName = "asked"
/** Older questions are dropped, and may be asked again. */
const mostAsked = 2000

/** The keys of the questions that a model was already asked. */
export async function readAsked(on: Reader): Promise<Set<string>> {
  return new Set(z.array(z.string()).parse((await readStored(on, askedName)) ?? []))
}

/** Marks questions as asked, whatever the answer was, so that the same question is not paid for twice. */
export async function markAsked(
  db: Database,
  questions: readonly OpenQuestion[],
  now: number,
): Promise<void> {
  const all = [...(await readAsked(db)), ...questions.map(keyOf)].slice(-mostAsked)
  await db.write((transaction) => saveStored(transaction, askedName, all, now))
}
