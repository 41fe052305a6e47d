import { Hono } from "hono"
import { asItStands } from "../../activities/tend/control.ts"
import { listCycles } from "../../attention/cycles.ts"
import { isoTime } from "../../base/clock.ts"
import { surfacedSince } from "../../memory/history/surfaced.ts"
import { projectNames } from "../../memory/model/known-projects.ts"
import { countMemories } from "../../memory/model/store/browse.ts"
import { findMemories } from "../../memory/model/store/store.ts"
import { countConflicts } from "../../memory/write/change/conflicts.ts"
import { listRequests } from "../../safety/permission/requests.ts"
import { readJournal } from "../../storage/journal.ts"
import { countEntries } from "../../storage/journal-queries.ts"
import { sql } from "../../storage/sql.ts"
import { presentCycle } from "../answers/ambient.ts"
import { schemaVersion } from "../answers/answer.ts"
import { presentRequests } from "../answers/requests.ts"
import { presentSurfaced } from "../answers/sessions.ts"
import { presentShown } from "../answers/shown.ts"
import { requests, type TodayAnswer } from "../contract.ts"
import { queryOf } from "../input.ts"
import type { AppNeeds } from "../needs.ts"

const hourMs = 3_600_000
const mostLearned = 40
const mostCycles = 8

/** What happened lately, on one page. */
export function todayRoutes(needs: AppNeeds): Hono {
  const { db, clock, install, daemon } = needs
  const routes = new Hono()
  routes.get("/", async (context) => {
    const { hours } = queryOf(context, requests.today)
    const now = clock.now()
    const since = now - hours * hourMs
    const cycles = (await listCycles(db, install, mostCycles)).filter(
      ({ startedAt, endedAt }) => (endedAt ?? startedAt) >= since,
    )
    const waiting = (await listRequests(db, install, ["pending"])).filter(({ expiresAt }) => expiresAt > now)
    return context.json<TodayAnswer>({
      schemaVersion,
      since: isoTime(since),
      learned: await learned(needs, since),
      surfaced: await presentSurfaced(needs, await surfacedSince(db, since, 20)),
      cycles: cycles.map((one) => presentCycle(asItStands(one, daemon !== undefined))),
      needsYou: {
        requests: await presentRequests(needs, waiting),
        conflicts: await countConflicts(db),
        notes: (await countMemories(db)).waiting,
      },
    })
  })
  return routes
}

/** What was saved since a moment and still holds, the newest first. */
async function learned({ db }: AppNeeds, since: number): Promise<TodayAnswer["learned"]> {
  const where = sql`at >= ${since} and imported = 0`
  const saved = { kind: "memory.saved", where }
  const entries = await readJournal(db, { ...saved, newestFirst: true, limit: mostLearned })
  const known = await findMemories(
    db,
    entries.flatMap(({ subject }) => subject ?? []),
  )
  const names = await projectNames(
    db,
    [...known.values()].flatMap(({ project }) => project ?? []),
  )
  const memories = entries.flatMap(({ subject, at, actor }) => {
    const memory = known.get(subject ?? "")
    if (memory === undefined || memory.status === "forgotten") return []
    const projectName = names.get(memory.project ?? "") ?? null
    return [{ ...presentShown(memory), by: actor, savedAt: isoTime(at), projectName }]
  })
  return { count: await countEntries(db, sql`kind = 'memory.saved' and ${where}`), memories }
}
