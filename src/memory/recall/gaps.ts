import { createHash } from "node:crypto"
import { encodeBase32 } from "../../base/random.ts"
import { shorten } from "../../base/text.ts"
import { appendEntry, type By } from "../../storage/journal.ts"
import { type Sql, sql } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"
import { contentKey } from "../memory.ts"
import { tellingWords } from "./focus.ts"
import { asks } from "./topic.ts"

/** A question that memory could not answer. */
export interface Gap {
  id: string
  project: string | null
  question: string
  at: number
  times: number
  session: string | null
}

const longestQuestion = 400
/** A question must say something to be worth an answer. */
const fewestWords = 3
/** More open ones than this are not kept for a project; the oldest that was asked once goes. */
const mostOpen = 300

/** Whether a text is a question that somebody would want memory to answer. */
export function isWorthAsking(text: string): boolean {
  const question = text.trim()
  const isAsked =
    asks(question) || /^(?:what|when|where|which|who|why|how|do|does|did|is|are|can)\b/i.test(question)
  return isAsked && question.length <= longestQuestion && tellingWords(question) >= fewestWords
}

/** One gap for one question of one project, whoever asks it. */
function gapId(project: string | null, question: string): string {
  const hash = createHash("sha256")
    .update(`${project ?? ""}\n${contentKey(question)}`)
    .digest()
  return `gap_${encodeBase32(hash.subarray(0, 10))}`
}

/** Notes that a question, without secrets in it, found nothing. */
export async function noteGap(
  transaction: Transaction,
  given: { install: string; project: string | null; question: string; session: string; at: number },
  by: By,
): Promise<void> {
  const { install, project, session, at } = given
  const question = shorten(given.question, longestQuestion)
  const id = gapId(project, question)
  await transaction.run(sql`
    insert into gaps (id, install, project, question, at, times, session)
    values (${id}, ${install}, ${project}, ${question}, ${at}, 1, ${session})
    on conflict (id) do update set
      at = excluded.at, times = gaps.times + 1, session = excluded.session, closed_at = null, closed_by = null`)
  await transaction.run(sql`
    delete from gaps where id in (
      select id from gaps where closed_at is null and ${ofProject(project)} order by times desc, at desc
      limit ${1000} offset ${mostOpen})`)
  await appendEntry(transaction, { ...by, at, kind: "gap.found", subject: id, data: { project, question } })
}

/** Closes the gap that a question left, if it left one, now that something answers it. */
export async function closeGap(
  transaction: Transaction,
  given: { project: string | null; question: string; memory: string; at: number },
  by: By,
): Promise<void> {
  const { project, question, memory, at } = given
  const id = gapId(project, shorten(question, longestQuestion))
  const closed = await transaction.run(
    sql`update gaps set closed_at = ${at}, closed_by = ${memory} where id = ${id} and closed_at is null`,
  )
  if (closed > 0)
    await appendEntry(transaction, { ...by, at, kind: "gap.closed", subject: id, data: { memory } })
}

/** What was asked for in vain and is still open, the most often asked first. */
export function openGaps(on: Reader, project: string | null | undefined, limit: number): Promise<Gap[]> {
  const where = project === undefined ? sql`1 = 1` : ofProject(project)
  return on.read<Gap>(sql`
    select id, project, question, at, times, session from gaps where closed_at is null and ${where}
    order by times desc, at desc, id limit ${limit}`)
}

function ofProject(project: string | null): Sql {
  return project === null ? sql`project is null` : sql`project = ${project}`
}
