import { nextTurn } from "../../base/clock.ts"
import type { GardenWork, Tending } from "../../memory/garden/garden.ts"
import { projectsWithMemories } from "../../memory/model/known-projects.ts"
import type { ProjectFinder } from "../../memory/model/project.ts"
import {
  findMemories,
  memoriesAfter,
  type NumberedMemory,
  selectMemories,
} from "../../memory/model/store/store.ts"
import type { OffLimits } from "../../privacy/files/off-limits.ts"
import type { InstallCore } from "../../storage/core.ts"
import { type Sql, sql } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import { localFolder } from "../git/local-folder.ts"
import { createJudge, type Judge } from "./judge.ts"
import { keepRound, type Round, readRound } from "./marks.ts"
import { openRepository, type Standing, standingOf } from "./repository/open-repository.ts"
import { type Settlement, settle, settlementOf } from "./settle.ts"

/** What verifying facts needs. */
export interface FactsNeeds extends InstallCore {
  projects: ProjectFinder
  offLimits: OffLimits
}

/** Memories looked at before what was found is written down. */
const pageSize = 100
/** Without new commits a project's memories are looked at again after this time. */
const roundMs = 86_400_000
/** A pass begins nothing new after this time; the next one goes on. */
const longestMs = 120_000
/** Questions about what is no longer so, the newest first. */
const mostAsked = 50

/**
 * Holds what memories say of their project's repository against the repository as it is: what is so is confirmed, what
 * is no longer so is believed less and asked about. Nothing is run, nothing is written there.
 */
export function verifyFacts(needs: FactsNeeds): GardenWork {
  return {
    name: "facts",
    async run(tending) {
      const { db, clock } = needs
      const until = clock.now() + longestMs
      const projects = (await projectsWithMemories(db, "project")).filter(
        (project) => !tending.excluded.has(project),
      )
      for (const project of projects) {
        if (!tending.mayGoOn() || clock.now() >= until) {
          tending.leaveRest()
          break
        }
        await verifyProject(needs, project, tending, until)
      }
      await askAboutOutdated(db, tending)
    },
  }
}

const standingMemory = sql`m.status = 'active' and m.scope = 'project'`

function ofProject(project: string): Sql {
  return sql`${standingMemory} and m.project = ${project}`
}

async function verifyProject(
  needs: FactsNeeds,
  project: string,
  tending: Tending,
  until: number,
): Promise<void> {
  const { db, clock, install } = needs
  const root = await localFolder(needs, project)
  const standing = root === undefined ? undefined : await standingOf(root)
  if (root === undefined || standing === undefined) return
  let round = nextRound(await readRound(db, install, project), standing, clock.now())
  let page = await memoriesAfter(db, ofProject(project), round.after, pageSize)
  if (page.length === 0) return finishRound(needs, project, round)
  const repository = await openRepository({ root, ...standing }, needs.offLimits, tending.signal)
  if (repository === undefined) return
  const judge = createJudge(repository, root)
  while (page.length > 0) {
    const after = await verifyPage(needs, page, judge, tending)
    round = { ...round, after, isDone: false }
    await keepRound(db, { install, project, now: clock.now() }, round)
    const isWhole = after === page.at(-1)?.seq
    if (!isWhole || !tending.mayGoOn() || clock.now() >= until) return tending.leaveRest()
    await nextTurn()
    page = await memoriesAfter(db, ofProject(project), after, pageSize)
  }
  await finishRound(needs, project, round)
}

/** A round begins anew after commits and after a day; else the last goes on, be it only for what is new since. */
function nextRound(last: Round | undefined, { head, main }: Standing, now: number): Round {
  const standing = main === undefined ? head : `${head} ${main}`
  const isOver = last?.isDone && now - last.startedAt >= roundMs
  if (last === undefined || last.standing !== standing || isOver)
    return { standing, startedAt: now, after: 0, isDone: false }
  return last
}

async function finishRound({ db, clock, install }: FactsNeeds, project: string, round: Round): Promise<void> {
  if (!round.isDone) await keepRound(db, { install, project, now: clock.now() }, { ...round, isDone: true })
}

/** Looks at a page of memories as far as there is room for what follows. Tells which was the last. */
async function verifyPage(
  needs: FactsNeeds,
  page: readonly NumberedMemory[],
  { judge, prepare, isSpent }: Judge,
  tending: Tending,
): Promise<number> {
  const { db, clock } = needs
  const memories = await findMemories(
    db,
    page.map(({ id }) => id),
  )
  await prepare([...memories.values()].map(({ content }) => content))
  const room = tending.room()
  const settlements: Settlement[] = []
  let looked = 0
  for (const { id } of page) {
    const memory = memories.get(id)
    const wanted = memory && (await settlementOf(db, memory, await judge(memory.content), clock.now()))
    // What was called off in the middle was not looked up to its end.
    if (tending.signal.aborted || isSpent() || !takeRoom(room, wanted)) break
    if (wanted) settlements.push(wanted)
    looked += 1
  }
  if (settlements.length > 0) {
    const done = await settle(needs, settlements, tending.by())
    await tending.done("facts checked", done, looked)
  }
  return page[looked - 1]?.seq ?? (page[0]?.seq ?? 1) - 1
}

/** Whether there is room for what is to be done; then it is taken. */
function takeRoom(room: { changes: number; losses: number }, wanted: Settlement | undefined): boolean {
  if (wanted === undefined) return true
  const replaces = wanted.kind === "replace"
  room.changes -= replaces ? 2 : 1
  room.losses -= replaces ? 1 : 0
  return room.changes >= 0 && room.losses >= 0
}

/** Leaves to a model, or to the user, what is to become of what is no longer so. */
async function askAboutOutdated(on: Reader, tending: Tending): Promise<void> {
  const found = await selectMemories(
    on,
    sql`${standingMemory} and m.details like '%"outdated":%'`,
    sql`order by m.updated_at desc, m.id limit ${mostAsked}`,
  )
  for (const { id, content, details } of found) {
    if (details.outdated === undefined) continue
    tending.ask({ kind: "stale", memories: [{ id, content }], note: details.outdated.notes.join(" ") })
  }
}
