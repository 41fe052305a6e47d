import { nextTurn } from "../../base/clock.ts"
import { appendEntries, type By, readJournal } from "../../storage/journal.ts"
import { type Sql, sql, sqlList } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"
import { type ProjectFinder, requireProject } from "../model/project.ts"
import { batchSize } from "../model/store/batch.ts"
import { requireMemory } from "../model/store/browse.ts"
import { partsWith } from "../model/store/parts-of-text.ts"
import { putMemories } from "../model/store/store.ts"
import { purgeSpellings } from "../model/words/spelling.ts"
import { purgeDescriptions } from "../topics/tags/describe.ts"
import type { ActNeeds } from "../write/change/operation.ts"
import { purgedKind } from "./history.ts"
import { purgeCycles } from "./purge-cycles.ts"
import { blankJournal } from "./purge-journal.ts"

/** Which memories are to go: exactly one of these. */
export type PurgeChoice =
  | { ids: readonly string[] }
  | { forgotten: true }
  | { project: string }
  | { all: true }

interface PurgeNeeds extends ActNeeds {
  projects: ProjectFinder
}

/** How a purge went. */
export interface Purged {
  operation: string
  purged: number
  /** Whether the database's files were written anew; if not, another program was reading them. */
  scrubbed: boolean
}

/** How many memories a purge would delete. */
export async function countPurge(needs: PurgeNeeds, choice: PurgeChoice): Promise<number> {
  const where = await chosen(needs, choice)
  const [row] = await needs.db.read<{ found: number }>(
    sql`select count(*) as found from memories m where ${where}`,
  )
  return row?.found ?? 0
}

/**
 * Deletes memories for good: rows, vectors, edges, and what the journal says of them. The only thing that does. Sent
 * again after it broke off, it goes on.
 */
export async function purgeMemories(needs: PurgeNeeds, choice: PurgeChoice, by: By): Promise<Purged> {
  const { db, clock } = needs
  const where = await chosen(needs, choice, by)
  const done = new Set<string>()
  for (;;) {
    const isDone = await db.write(async (transaction) => {
      const rows = await transaction.read<{ id: string; content: string }>(
        sql`select m.id as id, m.content as content from memories m where ${where} order by m.seq limit ${batchSize}`,
      )
      const ids = rows.map(({ id }) => id)
      if (ids.length === 0) return true
      await blankClusters(transaction, ids)
      await db.search.eraseVectors(transaction, ids)
      await putMemories(
        transaction,
        ids.map((id) => ({ id, image: null })),
      )
      await purgeSpellings(
        transaction,
        rows.map(({ content }) => content),
      )
      await blankJournal(transaction, ids, done)
      await transaction.run(sql`delete from import_keys where memory in ${sqlList(ids)}`)
      await purgeCycles(transaction, "ids" in choice ? ids : "all")
      // What was prepared for projects has words of memories in it; it is made anew from what is left.
      await transaction.run(sql`delete from recall_states where session like 'brief:%'`)
      const entry = { ...by, at: clock.now(), kind: purgedKind, data: { purged: true } } as const
      await appendEntries(
        transaction,
        ids.map((subject) => ({ ...entry, subject })),
      )
      return ids.length < batchSize
    })
    if (isDone) break
    await nextTurn()
  }
  await db.write(purgeDescriptions)
  await purgeSessions(needs, choice, by)
  const [row] = await db.read<{ purged: number }>(
    sql`select count(*) as purged from journal where operation = ${by.operation} and kind = ${purgedKind}`,
  )
  return { operation: by.operation, purged: row?.purged ?? 0, scrubbed: await db.scrub() }
}

/** With a project, or with everything, go the words of its sessions and the questions asked there. */
async function purgeSessions(needs: PurgeNeeds, choice: PurgeChoice, by: By): Promise<void> {
  if (!("all" in choice) && !("project" in choice)) return
  const projects = "all" in choice ? undefined : sqlList(await requireProject(needs, choice.project))
  const where = projects === undefined ? sql`true` : sql`project in ${projects}`
  await needs.db.write(async (transaction) => {
    const turns = await transaction.run(
      sql`delete from turns where session in (select id from sessions where ${where})`,
    )
    await transaction.run(sql`update sessions set title = null where ${where}`)
    const gaps = await transaction.run(sql`delete from gaps where ${where}`)
    if (turns + gaps === 0) return
    const entry = { ...by, at: needs.clock.now(), kind: "turns.purged", data: { turns, gaps } } as const
    await appendEntries(transaction, [entry])
  })
}

/** The condition on `memories m` for what is to go. */
async function chosen(needs: PurgeNeeds, choice: PurgeChoice, by?: By): Promise<Sql> {
  if ("all" in choice) return sql`true`
  if ("forgotten" in choice) return sql`m.status = 'forgotten'`
  if ("project" in choice) {
    return sql`m.project in ${sqlList(await requireProject(needs, choice.project))}`
  }
  const ids: string[] = []
  for (const id of choice.ids) ids.push(...(await idsFor(needs.db, id, by)))
  return sql`m.id in ${sqlList(ids)}`
}

/** The whole id, with those of the other parts of its text; also of a memory that this very operation has purged already. */
async function idsFor(on: Reader, idOrPart: string, by: By | undefined): Promise<string[]> {
  const done = by ? await readJournal(on, { operation: by.operation, kind: purgedKind, limit: 10_000 }) : []
  const earlier = done.find(({ subject }) => subject?.startsWith(idOrPart) || subject?.endsWith(idOrPart))
  if (earlier?.subject) return [earlier.subject]
  return (await partsWith(on, await requireMemory(on, idOrPart))).map(({ id }) => id)
}

/** A cluster's name is made of its members' words. */
async function blankClusters(transaction: Transaction, ids: readonly string[]): Promise<void> {
  const edges = await transaction.read<{ target: string }>(sql`
    select distinct target from edges where kind = 'in-cluster' and source in ${sqlList(ids)}`)
  const clusters = edges.map(({ target }) => target.replace(/^cluster:/, ""))
  if (clusters.length === 0) return
  await transaction.run(sql`update clusters set name = id where id in ${sqlList(clusters)}`)
}
