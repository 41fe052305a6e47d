import { Hono } from "hono"
import { isoTime } from "../../base/clock.ts"
import { UserError } from "../../base/errors.ts"
import { presence } from "../../coding/presence.ts"
import type { KnownSession } from "../../coding/sessions.ts"
import { listSessions, requireSession, turnsOf } from "../../coding/sessions.ts"
import { pardon } from "../../coding/skipped-places.ts"
import { countLearned, learnedIn } from "../../memory/learned.ts"
import { findProjects } from "../../memory/project.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import { schemaVersion } from "../answer.ts"
import {
  type RetriedSessionsAnswer,
  requests,
  type SessionAnswer,
  type SessionJson,
  type SessionsAnswer,
} from "../contract.ts"
import { bodyOf, byOf, queryOf } from "../input.ts"
import type { AppNeeds } from "../needs.ts"
import { presentShown } from "../shown.ts"
import { skippedAnswer } from "../skipped-answer.ts"

/** The user's sessions with agents, and what was said in them. */
export function sessionRoutes(needs: AppNeeds): Hono {
  const { db, install, clock } = needs
  const routes = new Hono()
  routes.get("/", async (context) => {
    const { tool, project, status, limit } = queryOf(context, requests.sessions)
    await needs.beforeSessions?.()
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
      sessions: await present(needs, found),
      skipped: await skippedAnswer(needs),
      active: active.map(({ session }) => session),
      lastUserAt: lastUserAt === null ? null : isoTime(lastUserAt),
    })
  })
  routes.post("/retry", async (context) => {
    const { place } = await bodyOf(context, requests.retrySessions)
    const by = byOf(context, needs)
    const retried = await pardon(db, install, { place, at: clock.now(), by })
    if (retried === 0 && place !== undefined)
      throw new UserError("not-found", `${place} is not skipped; \`reverie sessions\` names those that are.`)
    return context.json<RetriedSessionsAnswer>({ schemaVersion, retried })
  })
  routes.get("/:id", async (context) => {
    const { from, limit } = queryOf(context, requests.session)
    await needs.beforeSessions?.()
    const session = await requireSession(db, context.req.param("id"))
    const turns = await turnsOf(db, session.id, { from, limit: limit + 1 })
    const [shown] = await present(needs, [session])
    if (shown === undefined) throw new Error("a session was not presented")
    return context.json<SessionAnswer>({
      schemaVersion,
      session: shown,
      learned: (await learnedIn(db, session.id)).map(presentShown),
      turns: turns.slice(0, limit).map((turn) => ({ ...turn, at: isoTime(turn.at) })),
      next: turns[limit]?.position ?? null,
    })
  })
  return routes
}

async function present({ db }: AppNeeds, sessions: readonly KnownSession[]): Promise<SessionJson[]> {
  const ids = [...new Set(sessions.flatMap(({ project }) => project ?? []))]
  const rows = await db.read<{ id: string; name: string }>(
    sql`select id, name from projects where id in ${sqlList(ids)}`,
  )
  const learned = await countLearned(
    db,
    sessions.map(({ id }) => id),
  )
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  return sessions.map(({ details, pid, ...session }) => ({
    ...session,
    projectName: session.project === null ? null : (names.get(session.project) ?? null),
    startedAt: isoTime(session.startedAt),
    updatedAt: isoTime(session.updatedAt),
    statusAt: isoTime(session.statusAt),
    lastUserAt: session.lastUserAt === null ? null : isoTime(session.lastUserAt),
    learned: learned.get(session.id) ?? 0,
  }))
}
