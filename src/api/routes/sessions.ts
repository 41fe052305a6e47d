import { named } from "../../activities/read-sessions/own-sessions.ts"
import { isoTime } from "../../base/clock.ts"
import { UserError } from "../../base/errors.ts"
import { pardon } from "../../coding/sessions/skipped-locations.ts"
import { learnedIn } from "../../memory/history/learned.ts"
import { surfacedIn } from "../../memory/history/surfaced.ts"
import { findProjects } from "../../memory/model/project.ts"
import { presence } from "../../sessions/presence.ts"
import { sessionTools } from "../../sessions/session.ts"
import { listSessions, requireSession } from "../../sessions/sessions.ts"
import { turnsOf } from "../../sessions/turns.ts"
import { presentShown } from "../answers/memories.ts"
import { presentSessions, presentSurfaced, skippedAnswer } from "../answers/sessions.ts"
import { isoTimes } from "../contract/iso-times.ts"
import type { AppNeeds } from "../needs.ts"
import type { On } from "../routing.ts"

/** A name that is no tool's and that no session has is a mistake. */
async function requireTool({ db, install }: AppNeeds, tool: string): Promise<void> {
  if (sessionTools.some((known) => known === tool)) return
  if ((await listSessions(db, { install, tool, limit: 1 })).length > 0) return
  const known = sessionTools.join(", ")
  throw new UserError(
    "usage",
    `There are no sessions of ${tool}; give one of ${known}, or a name of your own.`,
  )
}

/** The user's sessions with agents, and what was said in them. */
export function sessionRoutes(on: On, needs: AppNeeds): void {
  const { db, install, clock } = needs
  on("sessions", async ({ tool, project, status, limit }) => {
    await needs.beforeSessions?.()
    if (tool !== undefined) await requireTool(needs, tool)
    const projects = project && (await findProjects(db, await needs.projects.find(project)))
    const found = await listSessions(db, {
      install,
      tool,
      limit,
      statuses: status && [status],
      projects: projects || undefined,
    })
    const { active, lastUserAt } = await presence(db, install, clock.now())
    return {
      sessions: await presentSessions(needs, found),
      skipped: await skippedAnswer(needs),
      active: active.map(({ session }) => session),
      lastUserAt: lastUserAt === null ? null : isoTime(lastUserAt),
    }
  })
  on("retrySessions", async ({ place }, { by }) => {
    const retried = await pardon(db, install, { location: place, at: clock.now(), by: by() })
    if (retried === 0 && place !== undefined)
      throw new UserError("not-found", `${place} is not skipped; \`reverie sessions\` names those that are.`)
    return { retried }
  })
  on("tellSession", async ({ session, happening }) => {
    needs.ownSessions.tell(named(session), happening)
    return { outcome: "told" }
  })
  on("session", async ({ from, limit }, { id }) => {
    await needs.beforeSessions?.()
    const session = await requireSession(db, id)
    const turns = await turnsOf(db, session.id, { from, limit: limit + 1 })
    const [shown] = await presentSessions(needs, [session])
    if (shown === undefined) throw new Error("a session was not presented")
    return {
      session: shown,
      learned: (await learnedIn(db, session.id)).map(presentShown),
      turns: turns.slice(0, limit).map(isoTimes),
      next: turns[limit]?.position ?? null,
    }
  })
  on("sessionSurfaced", async (_asked, call) => {
    const { id } = await requireSession(db, call.id)
    return { surfaced: await presentSurfaced(needs, await surfacedIn(db, id)) }
  })
}
