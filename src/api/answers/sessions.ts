import { isoTime } from "../../base/clock.ts"
import { countLearned } from "../../memory/history/learned.ts"
import type { SurfacedTime } from "../../memory/history/surfaced.ts"
import { projectNames } from "../../memory/model/known-projects.ts"
import { findMemories } from "../../memory/model/store/store.ts"
import { type KnownSession, listSessions } from "../../sessions/sessions.ts"
import { isoTimes } from "../contract/iso-times.ts"
import type { SessionJson, SurfacedJson } from "../contract/session-answers.ts"
import type { AppNeeds } from "../needs.ts"
import { presentShown } from "./shown.ts"

/** Sessions as they travel, with their projects' names and how much each taught. */
export async function presentSessions(
  { db }: Pick<AppNeeds, "db">,
  sessions: readonly KnownSession[],
): Promise<SessionJson[]> {
  const ids = [...new Set(sessions.flatMap(({ project }) => project ?? []))]
  const names = await projectNames(db, ids)
  const learned = await countLearned(
    db,
    sessions.map(({ id }) => id),
  )
  return sessions.map(({ details, pid, ...session }) => ({
    ...isoTimes(session),
    projectName: names.get(session.project ?? "") ?? null,
    learned: learned.get(session.id) ?? 0,
  }))
}

/** What came up, with what it says and where; what is gone meanwhile is left out. */
export async function presentSurfaced(
  { db }: Pick<AppNeeds, "db">,
  times: readonly SurfacedTime[],
): Promise<SurfacedJson[]> {
  const memories = await findMemories(db, [...new Set(times.flatMap((one) => one.memories))])
  const ids = [...new Set(times.map(({ session }) => session))]
  const sessions = new Map(
    (ids.length === 0 ? [] : await listSessions(db, { ids })).map((one) => [one.id, one]),
  )
  const names = await projectNames(
    db,
    [...sessions.values()].flatMap(({ project }) => project ?? []),
  )
  return times.map(({ at, session, turn, memories: shown }) => {
    const known = sessions.get(session)
    return {
      at: isoTime(at),
      session,
      isKept: known !== undefined,
      title: known?.title ?? null,
      tool: known?.tool ?? session.split(":")[0] ?? "",
      projectName: names.get(known?.project ?? "") ?? null,
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
