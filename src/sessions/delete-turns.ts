import { yieldToEventLoop } from "../base/clock.ts"
import type { Database } from "../storage/database.ts"
import { appendEntry, type By } from "../storage/journal.ts"
import { sql, sqlList } from "../storage/sql.ts"
import type { Reader, Transaction } from "../storage/transaction.ts"

const dayMs = 86_400_000
/** Sessions per transaction. */
const batch = 20

/** Turns from before this time are deleted; with 0 days, all of them. */
export function retentionStart(now: number, keepDays: number): number {
  return keepDays === 0 ? Number.MAX_SAFE_INTEGER : now - keepDays * dayMs
}

/** The projects of which an installation has turns. */
export async function projectsWithTurns(on: Reader, install: string): Promise<string[]> {
  const rows = await on.read<{ project: string }>(sql`
    select distinct s.project as project from sessions s
    where s.install = ${install} and s.project is not null
      and exists (select 1 from turns t where t.session = s.id)`)
  return rows.map(({ project }) => project)
}

interface OldTurns {
  install: string
  now: number
  keepDays: number
  /** Only of this project. */
  project?: string
}

/** Deletes turns that are older than `keepDays`. The sessions themselves stay. */
export async function deleteTurnsBefore(
  db: Database,
  { install, now, keepDays, project }: OldTurns,
  by: By,
): Promise<number> {
  const ofProject = project === undefined ? sql`true` : sql`s.project = ${project}`
  const before = retentionStart(now, keepDays)
  let deleted = 0
  for (;;) {
    const gone = await db.write(async (transaction) => {
      const old = await transaction.read<{ session: string }>(sql`
        select distinct t.session as session from turns t join sessions s on s.id = t.session
        where s.install = ${install} and ${ofProject} and t.at < ${before} limit ${batch}`)
      if (old.length === 0) return 0
      const count = await transaction.run(sql`
        delete from turns where at < ${before} and session in ${sqlList(old.map(({ session }) => session))}`)
      await appendEntry(transaction, { ...by, at: now, kind: "turns.forgotten", data: { turns: count } })
      return count
    })
    if (gone === 0) return deleted
    deleted += gone
    await yieldToEventLoop()
  }
}

/** Deletes the turns and titles of the sessions of some projects, or of all. Returns the number of turns. */
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
