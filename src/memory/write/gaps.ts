import { createHash } from "node:crypto"
import { encodeBase32 } from "../../base/random.ts"
import { shorten } from "../../base/text/text.ts"
import { appendEntry, type By } from "../../storage/journal.ts"
import { type Sql, sql, sqlList } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"
import { contentKey } from "../model/memory.ts"

export interface Question {
  id: string
  question: string
}

/** A question that memory could not answer. */
export interface Gap extends Question {
  project: string | null
  at: number
  times: number
  session: string | null
}

export const longestQuestion = 400
/** At most this many open gaps per project; the oldest that was asked once is deleted first. */
const mostOpen = 300

/** One gap per question and project, whoever asks. */
function gapId(project: string | null, question: string): string {
  const hash = createHash("sha256")
    .update(`${project ?? ""}\n${contentKey(question)}`)
    .digest()
  return `gap_${encodeBase32(hash.subarray(0, 10))}`
}

/** Records that a question, with secrets removed, found nothing. */
export async function noteGap(
  transaction: Transaction,
  input: { install: string; project: string | null; question: string; session: string; at: number },
  by: By,
): Promise<void> {
  const { install, project, session, at } = input
  const question = shorten(input.question, longestQuestion)
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

interface Answered {
  memory: string
  at: number
}

/** Closes the gap of a question that is answered now, if there is one. */
export function closeGapOf(
  transaction: Transaction,
  { project, question, ...answered }: { project: string | null; question: string } & Answered,
  by: By,
): Promise<void> {
  return closeGap(transaction, { id: gapId(project, shorten(question, longestQuestion)), ...answered }, by)
}

export async function closeGap(
  transaction: Transaction,
  { id, memory, at }: { id: string } & Answered,
  by: By,
): Promise<void> {
  const closed = await transaction.run(
    sql`update gaps set closed_at = ${at}, closed_by = ${memory} where id = ${id} and closed_at is null`,
  )
  if (closed > 0)
    await appendEntry(transaction, { ...by, at, kind: "gap.closed", subject: id, data: { memory } })
}

/** By default the gaps of all installations and projects; null stands for no project. */
interface GapFilter {
  install?: string | undefined
  projects?: readonly (string | null)[] | undefined
}

/** Open gaps, the most often asked first. */
export function openGaps(on: Reader, { install, projects }: GapFilter, limit: number): Promise<Gap[]> {
  const installed = install === undefined ? sql`1 = 1` : sql`install = ${install}`
  const within = projects === undefined ? sql`1 = 1` : inProjects(projects)
  return on.read<Gap>(sql`
    select id, project, question, at, times, session from gaps
    where closed_at is null and ${installed} and ${within}
    order by times desc, at desc, id limit ${limit}`)
}

function inProjects(projects: readonly (string | null)[]): Sql {
  const named = projects.filter((project) => project !== null)
  return projects.length === named.length
    ? sql`project in ${sqlList(named)}`
    : sql`(project is null or project in ${sqlList(named)})`
}

function ofProject(project: string | null): Sql {
  return project === null ? sql`project is null` : sql`project = ${project}`
}

/** Deletes the gaps of some projects, or all. Returns their number. */
export function eraseGaps(transaction: Transaction, projects: readonly string[] | "all"): Promise<number> {
  const where = projects === "all" ? sql`true` : sql`project in ${sqlList(projects)}`
  return transaction.run(sql`delete from gaps where ${where}`)
}
