import { named } from "../../activities/read-sessions/own-sessions.ts"
import { isoTime } from "../../base/clock.ts"
import { UserError } from "../../base/errors.ts"
import { clearFailures } from "../../coding/sessions/skipped-locations.ts"
import {
  type ExtractedSession,
  extractSession,
  previewSession,
} from "../../memory/extract/extract-session.ts"
import { learnedIn } from "../../memory/history/learned.ts"
import { surfacedIn } from "../../memory/history/surfaced.ts"
import { findProjects } from "../../memory/model/project.ts"
import { openGaps } from "../../memory/write/gaps.ts"
import { unreadSessions } from "../../sessions/due-sessions.ts"
import { presence } from "../../sessions/presence.ts"
import { sessionTools } from "../../sessions/session.ts"
import { listSessions, requireSession } from "../../sessions/sessions.ts"
import { turnsOf } from "../../sessions/turns.ts"
import { presentShown } from "../answers/memories.ts"
import { presentSessions, presentSkipped, presentSurfaced } from "../answers/sessions.ts"
import { isoTimes } from "../contract/iso-times.ts"
import type { Extracted } from "../contract/session-answers.ts"
import type { AppNeeds } from "../needs.ts"
import type { AddRoute } from "../routing.ts"

/** Throws for a tool that Reverie does not know and that has no sessions. */
async function requireTool({ db, install }: AppNeeds, tool: string): Promise<void> {
  if (sessionTools.some((known) => known === tool)) return
  if ((await listSessions(db, { install, tool, limit: 1 })).length > 0) return
  const known = sessionTools.join(", ")
  throw new UserError(
    "usage",
    `There are no sessions of ${tool}; give one of ${known}, or a name of your own.`,
  )
}

/** The user's sessions with agents, their messages, extraction and recall. */
export function sessionRoutes(on: AddRoute, needs: AppNeeds): void {
  extractRoutes(on, needs)
  recallRoutes(on, needs)
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
      skipped: await presentSkipped(needs),
      active: active.map(({ session }) => session),
      lastUserAt: lastUserAt === null ? null : isoTime(lastUserAt),
    }
  })
  on("retrySessions", async ({ place }, { by }) => {
    const retried = await clearFailures(db, install, { location: place, at: clock.now(), by: by() })
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

/** Extraction of memories from sessions, now. */
function extractRoutes(on: AddRoute, needs: AppNeeds): void {
  const read = async (ids: readonly string[], dryRun: boolean, actor: string): Promise<Extracted> => {
    requireExtraction(needs)
    const reader = { ...needs, signal: needs.daemon?.stopping, isAsked: true }
    const sessions: ExtractedSession[] = []
    for (const id of ids) {
      sessions.push(dryRun ? await previewSession(reader, id) : await extractSession(reader, id, actor))
    }
    return { dryRun, sessions }
  }
  on("extract", async ({ dryRun }, { by }) => {
    await needs.beforeSessions?.()
    const ids = await unreadSessions(needs.db, needs.install)
    return read(ids, dryRun, by().actor)
  })
  on("extractSession", async ({ dryRun }, call) => {
    await needs.beforeSessions?.()
    const { id } = await requireSession(needs.db, call.id)
    return read([id], dryRun, call.by().actor)
  })
}

function requireExtraction({ config }: AppNeeds): void {
  if (config.memory.enabled && config.extraction.enabled) return
  const key = config.memory.enabled ? "extraction.enabled" : "memory.enabled"
  throw new UserError(
    "refused",
    `Nothing is learned from sessions while ${key} is false; set it to true first.`,
  )
}

/** Recall for any agent that can make a request. Each answer comes at once. */
function recallRoutes(on: AddRoute, needs: AppNeeds): void {
  on("recallStart", ({ session }) => needs.recall.start(session))
  on("recallTurn", async ({ session, happening, observe }) => {
    if (!observe) return needs.recall.turn(session, happening)
    await needs.recall.observe(session, happening)
    return { memories: [], text: "" }
  })
  on("recallEnd", async ({ session }) => {
    await needs.recall.end(session)
    return { outcome: "ended" }
  })
  on("recallPreview", async ({ session, text }) => {
    await needs.beforeSearch?.()
    return needs.recall.preview(session, text)
  })
  on("gaps", async ({ project, limit }) => {
    const [known = null] =
      project === undefined ? [] : await findProjects(needs.db, await needs.projects.find(project))
    const gaps = await openGaps(needs.db, project === undefined ? {} : { projects: [known] }, limit)
    return { gaps: gaps.map(isoTimes) }
  })
}
