import { Hono } from "hono"
import { isoTime } from "../../base/clock.ts"
import { presence } from "../../coding/presence.ts"
import type { KnownSession } from "../../coding/sessions.ts"
import { listSessions, requireSession, turnsOf } from "../../coding/sessions.ts"
import { countLearned, learnedIn } from "../../memory/learned.ts"
import { findProjects } from "../../memory/project.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import { schemaVersion } from "../answer.ts"
import { requests, type SessionAnswer, type SessionJson, type SessionsAnswer } from "../contract.ts"
import { queryOf } from "../input.ts"
import type { AppNeeds } from "../needs.ts"
import { presentShown } from "../shown.ts"

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
      active: active.map(({ session }) => session),
      lastUserAt: lastUserAt === null ? null : isoTime(lastUserAt),
    })
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
