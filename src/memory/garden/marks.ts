import { z } from "zod"
import type { Database } from "../../storage/database.ts"
import { sql } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import type { OpenQuestion } from "./garden.ts"

const markSchema = z.object({
  /** How far the present round has come. */
  after: z.number().default(0),
  /** The newest journal entry when the round began; without newer ones another round finds nothing new. */
  entry: z.number().default(0),
  isDone: z.boolean().default(false),
})

/** How far an operation of the garden has come: it goes on from there after a crash or a full cycle. */
export type Mark = z.infer<typeof markSchema>

export async function readMark(on: Reader, name: string): Promise<Mark> {
  const [row] = await on.read<{ mark: string }>(sql`select mark from garden_marks where name = ${name}`)
  return markSchema.parse(row ? JSON.parse(row.mark) : {})
}

export async function keepMark(db: Database, name: string, mark: Mark, now: number): Promise<void> {
  await db.write((transaction) =>
    transaction.run(sql`
      insert into garden_marks (name, mark, updated_at) values (${name}, ${JSON.stringify(mark)}, ${now})
      on conflict (name) do update set mark = excluded.mark, updated_at = excluded.updated_at`),
  )
}

/** A question by what it is about: asked once, it is not asked again while its memories stay. */
export function keyOf({ kind, memories }: OpenQuestion): string {
  return [kind, ...memories.map(({ id }) => id).sort()].join(" ")
}

const askedName = "asked"
/** Older questions are forgotten, and may be asked once more. */
const mostAsked = 2000

/** The questions that a model was shown already. */
export async function readAsked(on: Reader): Promise<Set<string>> {
  const [row] = await on.read<{ mark: string }>(sql`select mark from garden_marks where name = ${askedName}`)
  return new Set(z.array(z.string()).parse(row ? JSON.parse(row.mark) : []))
}

/** Notes questions as asked, whatever came of them: the same thing is not paid for twice. */
export async function markAsked(
  db: Database,
  questions: readonly OpenQuestion[],
  now: number,
): Promise<void> {
  const all = [...(await readAsked(db)), ...questions.map(keyOf)].slice(-mostAsked)
  await db.write((transaction) =>
    transaction.run(sql`
      insert into garden_marks (name, mark, updated_at) values (${askedName}, ${JSON.stringify(all)}, ${now})
      on conflict (name) do update set mark = excluded.mark, updated_at = excluded.updated_at`),
  )
}
