import { isoTime } from "../../base/clock.ts"
import { skippedLocations } from "../../coding/sessions/skipped-locations.ts"
import { countLearned } from "../../memory/history/learned.ts"
import type { SurfacedTime } from "../../memory/history/surfaced.ts"
import { findMemories } from "../../memory/model/store/store.ts"
import { type KnownSession, listSessions } from "../../sessions/sessions.ts"
import { isoTimes } from "../contract/iso-times.ts"
import type { SessionJson, SkippedJson, SurfacedJson } from "../contract/session-answers.ts"
import type { AppNeeds } from "../needs.ts"
import { presentShown } from "./memories.ts"
import { nameProjects } from "./projects.ts"

/** Sessions as JSON, with the names of their projects and how many memories each taught. */
export async function presentSessions(
  { db }: Pick<AppNeeds, "db">,
  sessions: readonly KnownSession[],
): Promise<SessionJson[]> {
  const nameOf = await nameProjects(db, sessions)
  const learned = await countLearned(
    db,
    sessions.map(({ id }) => id),
  )
  return sessions.map(({ details, pid, ...session }) => ({
    ...isoTimes(session),
    projectName: nameOf(session),
    learned: learned.get(session.id) ?? 0,
  }))
}

/** Surfaced memories as JSON, with their texts and sessions; deleted ones are left out. */
export async function presentSurfaced(
  { db }: Pick<AppNeeds, "db">,
  times: readonly SurfacedTime[],
): Promise<SurfacedJson[]> {
  const memories = await findMemories(db, [...new Set(times.flatMap((one) => one.memories))])
  const ids = [...new Set(times.map(({ session }) => session))]
  const sessions = new Map(
    (ids.length === 0 ? [] : await listSessions(db, { ids })).map((one) => [one.id, one]),
  )
  const nameOf = await nameProjects(db, [...sessions.values()])
  return times.map(({ at, session, turn, memories: shown }) => {
    const known = sessions.get(session)
    return {
      at: isoTime(at),
      session,
      isKept: known !== undefined,
      title: known?.title ?? null,
      tool: known?.tool ?? session.split(":")[0] ?? "",
      projectName: nameOf(known),
      turn,
      memories: shown.flatMap((id) => {
        const memory = memories.get(id)
        if (memory === undefined) return []
        const { content, status, details } = presentShown(memory)
        return [{ id, content, status, helpful: details.helpful ?? 0, unhelpful: details.unhelpful ?? 0 }]
      }),
    }
  })
}

/** Skipped transcripts as JSON. */
export async function presentSkipped({ db, install }: AppNeeds): Promise<SkippedJson[]> {
  const skipped = await skippedLocations(db, install)
  return skipped.map(({ tool, location: place, reason, at }) => ({ tool, place, reason, since: isoTime(at) }))
}
