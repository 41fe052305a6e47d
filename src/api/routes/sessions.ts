import { Hono } from "hono"
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
import { schemaVersion } from "../answers/answer.ts"
import { presentSessions, presentSurfaced } from "../answers/sessions.ts"
import { presentShown } from "../answers/shown.ts"
import { skippedAnswer } from "../answers/skipped.ts"
import {
  type RetriedSessionsAnswer,
  requests,
  type SessionAnswer,
  type SessionSurfacedAnswer,
  type SessionsAnswer,
  type ToldAnswer,
} from "../contract.ts"
import { bodyOf, byOf, queryOf } from "../input.ts"
import type { AppNeeds } from "../needs.ts"

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
export function sessionRoutes(needs: AppNeeds): Hono {
  const { db, install, clock } = needs
  const routes = new Hono()
  routes.get("/", async (context) => {
    const { tool, project, status, limit } = queryOf(context, requests.sessions)
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
    return context.json<SessionsAnswer>({
      schemaVersion,
      sessions: await presentSessions(needs, found),
      skipped: await skippedAnswer(needs),
      active: active.map(({ session }) => session),
      lastUserAt: lastUserAt === null ? null : isoTime(lastUserAt),
    })
  })
  routes.post("/retry", async (context) => {
    const { place } = await bodyOf(context, requests.retrySessions)
    const by = byOf(context, needs)
    const retried = await pardon(db, install, { location: place, at: clock.now(), by })
    if (retried === 0 && place !== undefined)
      throw new UserError("not-found", `${place} is not skipped; \`reverie sessions\` names those that are.`)
    return context.json<RetriedSessionsAnswer>({ schemaVersion, retried })
  })
  routes.post("/tell", async (context) => {
    const { session, happening } = await bodyOf(context, requests.tellSession)
    needs.ownSessions.tell(named(session), happening)
    return context.json<ToldAnswer>({ schemaVersion, outcome: "told" })
  })
  routes.get("/:id", async (context) => {
    const { from, limit } = queryOf(context, requests.session)
    await needs.beforeSessions?.()
    const session = await requireSession(db, context.req.param("id"))
    const turns = await turnsOf(db, session.id, { from, limit: limit + 1 })
    const [shown] = await presentSessions(needs, [session])
    if (shown === undefined) throw new Error("a session was not presented")
    return context.json<SessionAnswer>({
      schemaVersion,
      session: shown,
      learned: (await learnedIn(db, session.id)).map(presentShown),
      turns: turns.slice(0, limit).map((turn) => ({ ...turn, at: isoTime(turn.at) })),
      next: turns[limit]?.position ?? null,
    })
  })
  routes.get("/:id/surfaced", async (context) => {
    const { id } = await requireSession(db, context.req.param("id"))
    const surfaced = await presentSurfaced(needs, await surfacedIn(db, id))
    return context.json<SessionSurfacedAnswer>({ schemaVersion, surfaced })
  })
  return routes
}
