import { withDeadCycle } from "../../activities/tend/control.ts"
import { listCycles } from "../../attention/cycles.ts"
import { isoTime } from "../../base/clock.ts"
import { surfacedSince } from "../../memory/history/surfaced.ts"
import { countMemories } from "../../memory/model/store/browse.ts"
import { findMemories } from "../../memory/model/store/store.ts"
import { countConflicts } from "../../memory/write/change/conflicts.ts"
import { readJournal } from "../../storage/journal.ts"
import { countEntries } from "../../storage/journal-queries.ts"
import { sql } from "../../storage/sql.ts"
import { presentShown } from "../answers/memories.ts"
import { nameProjects } from "../answers/projects.ts"
import { presentRequests, waitingRequests } from "../answers/requests.ts"
import { presentSurfaced } from "../answers/sessions.ts"
import type { Answers } from "../contract/answers.ts"
import { isoTimes } from "../contract/iso-times.ts"
import type { AppNeeds } from "../needs.ts"
import type { AddRoute } from "../routing.ts"

const hourMs = 3_600_000
const mostLearned = 40
const mostCycles = 8

/** What happened lately. */
export function todayRoutes(on: AddRoute, needs: AppNeeds): void {
  const { db, clock, install, daemon } = needs
  on("today", async ({ hours }) => {
    const since = clock.now() - hours * hourMs
    const cycles = (await listCycles(db, install, mostCycles)).filter(
      ({ startedAt, endedAt }) => (endedAt ?? startedAt) >= since,
    )
    return {
      since: isoTime(since),
      learned: await learned(needs, since),
      surfaced: await presentSurfaced(needs, await surfacedSince(db, since, 20)),
      cycles: cycles.map((one) => isoTimes(withDeadCycle(one, daemon !== undefined))),
      needsYou: {
        requests: await presentRequests(needs, await waitingRequests(needs)),
        conflicts: await countConflicts(db),
        notes: (await countMemories(db)).waiting,
      },
    }
  })
}

/** Memories saved since a time and not forgotten, newest first. */
async function learned({ db }: AppNeeds, since: number): Promise<Answers["today"]["learned"]> {
  const where = sql`at >= ${since} and imported = 0`
  const saved = { kind: "memory.saved", where }
  const entries = await readJournal(db, { ...saved, newestFirst: true, limit: mostLearned })
  const known = await findMemories(
    db,
    entries.flatMap(({ subject }) => subject ?? []),
  )
  const nameOf = await nameProjects(db, [...known.values()])
  const memories = entries.flatMap(({ subject, at, actor }) => {
    const memory = known.get(subject ?? "")
    if (memory === undefined || memory.status === "forgotten") return []
    const named = { ...presentShown(memory), projectName: nameOf(memory) }
    return [{ ...named, by: actor, savedAt: isoTime(at) }]
  })
  return { count: await countEntries(db, sql`kind = 'memory.saved' and ${where}`), memories }
}
