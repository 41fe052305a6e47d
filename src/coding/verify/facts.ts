import { yieldToEventLoop } from "../../base/clock.ts"
import type { GardenPass, GardenWork } from "../../memory/garden/garden.ts"
import { projectsWithMemories } from "../../memory/model/known-projects.ts"
import type { ProjectFinder } from "../../memory/model/project.ts"
import {
  findMemories,
  type MemorySeq,
  memoriesAfter,
  selectMemories,
} from "../../memory/model/store/store.ts"
import type { OffLimits } from "../../privacy/files/off-limits.ts"
import type { InstallCore } from "../../storage/core.ts"
import { type Sql, sql } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import { localFolder } from "../git/local-folder.ts"
import { createTextChecker, type TextChecker } from "./check-text.ts"
import { applyFactChanges, type FactChange, factChangeFor } from "./fact-changes.ts"
import { type CheckedOut, openRepository, readCheckedOut } from "./repository/open-repository.ts"
import { type Round, readRound, saveRound } from "./round.ts"

interface FactsNeeds extends InstallCore {
  projects: ProjectFinder
  offLimits: OffLimits
}

/** How many memories are checked before the results are saved. */
const pageSize = 100
/** Without new commits, a project's memories are checked again after this time. */
const roundMs = 86_400_000
/** A pass starts nothing new after this time; the next one continues. */
const longestMs = 120_000
/** At most this many questions about outdated memories, the newest first. */
const mostAsked = 50

/**
 * Checks what memories say about their project's repository. True statements are confirmed; outdated ones lose
 * confidence and raise a question. Nothing of the repository is run or changed.
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
        if (!tending.canContinue() || clock.now() >= until) {
          tending.markUnfinished()
          break
        }
        await verifyProject(needs, project, tending, until)
      }
      await askAboutOutdated(db, tending)
    },
  }
}

const activeMemory = sql`m.status = 'active' and m.scope = 'project'`

function ofProject(project: string): Sql {
  return sql`${activeMemory} and m.project = ${project}`
}

async function verifyProject(
  needs: FactsNeeds,
  project: string,
  tending: GardenPass,
  until: number,
): Promise<void> {
  const { db, clock, install } = needs
  const root = await localFolder(needs, project)
  const commits = root === undefined ? undefined : await readCheckedOut(root)
  if (root === undefined || commits === undefined) return
  let round = nextRound(await readRound(db, install, project), commits, clock.now())
  let page = await memoriesAfter(db, ofProject(project), round.after, pageSize)
  if (page.length === 0) return finishRound(needs, project, round)
  const repository = await openRepository({ root, ...commits }, needs.offLimits, tending.signal)
  if (repository === undefined) return
  const checker = createTextChecker(repository, root)
  while (page.length > 0) {
    const after = await verifyPage(needs, page, checker, tending)
    round = { ...round, after, isDone: false }
    await saveRound(db, { install, project, now: clock.now() }, round)
    const isPageDone = after === page.at(-1)?.seq
    if (!isPageDone || !tending.canContinue() || clock.now() >= until) return tending.markUnfinished()
    await yieldToEventLoop()
    page = await memoriesAfter(db, ofProject(project), after, pageSize)
  }
  await finishRound(needs, project, round)
}

/** A new round starts after new commits and after a day. Otherwise the last one continues, for new memories if it was done. */
function nextRound(last: Round | undefined, { head, main }: CheckedOut, now: number): Round {
  const standing = main === undefined ? head : `${head} ${main}`
  const isOver = last?.isDone && now - last.startedAt >= roundMs
  if (last === undefined || last.standing !== standing || isOver)
    return { standing, startedAt: now, after: 0, isDone: false }
  return last
}

async function finishRound({ db, clock, install }: FactsNeeds, project: string, round: Round): Promise<void> {
  if (!round.isDone) await saveRound(db, { install, project, now: clock.now() }, { ...round, isDone: true })
}

/** Checks a page of memories as far as the limits allow. Returns the number of the last one. */
async function verifyPage(
  needs: FactsNeeds,
  page: readonly MemorySeq[],
  { check, prepare, isSpent }: TextChecker,
  tending: GardenPass,
): Promise<number> {
  const { db, clock } = needs
  const memories = await findMemories(
    db,
    page.map(({ id }) => id),
  )
  await prepare([...memories.values()].map(({ content }) => content))
  const room = tending.remaining()
  const changes: FactChange[] = []
  let checked = 0
  for (const { id } of page) {
    const memory = memories.get(id)
    const wanted = memory && (await factChangeFor(db, memory, await check(memory.content), clock.now()))
    // An aborted check may be incomplete.
    if (tending.signal.aborted || isSpent() || !takeRoom(room, wanted)) break
    if (wanted) changes.push(wanted)
    checked += 1
  }
  if (changes.length > 0) {
    const done = await applyFactChanges(needs, changes, tending.by())
    await tending.report("facts checked", done, checked)
  }
  return page[checked - 1]?.seq ?? (page[0]?.seq ?? 1) - 1
}

/** Takes a change from the limits; false if there is not enough left. */
function takeRoom(room: { changes: number; losses: number }, wanted: FactChange | undefined): boolean {
  if (wanted === undefined) return true
  const replaces = wanted.kind === "replace"
  room.changes -= replaces ? 2 : 1
  room.losses -= replaces ? 1 : 0
  return room.changes >= 0 && room.losses >= 0
}

/** Asks a model, or the user, what to do with outdated memories. */
async function askAboutOutdated(on: Reader, tending: GardenPass): Promise<void> {
  const found = await selectMemories(
    on,
    sql`${activeMemory} and m.details like '%"outdated":%'`,
    sql`order by m.updated_at desc, m.id limit ${mostAsked}`,
  )
  for (const { id, content, details } of found) {
    if (details.outdated === undefined) continue
    tending.ask({ kind: "stale", memories: [{ id, content }], note: details.outdated.notes.join(" ") })
  }
}
