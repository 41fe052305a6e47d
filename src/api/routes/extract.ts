import { Hono } from "hono"
import {
  type ExtractedSession,
  extractSession,
  previewSession,
} from "../../activities/read-sessions/extract-session.ts"
import { UserError } from "../../base/errors.ts"
import { unreadSessions } from "../../sessions/due-sessions.ts"
import { requireSession } from "../../sessions/sessions.ts"
import { schemaVersion } from "../answers/answer.ts"
import { type ExtractedAnswer, requests } from "../contract.ts"
import { bodyOf, byOf } from "../input.ts"
import type { AppNeeds } from "../needs.ts"

/** Reading sessions for what they tell, now. */
export function extractRoutes(needs: AppNeeds): Hono {
  const routes = new Hono()
  const read = async (ids: readonly string[], dryRun: boolean, actor: string): Promise<ExtractedAnswer> => {
    refuseWhereOff(needs)
    const reader = { ...needs, signal: needs.daemon?.stopping, isAsked: true }
    const sessions: ExtractedSession[] = []
    for (const id of ids) {
      sessions.push(dryRun ? await previewSession(reader, id) : await extractSession(reader, id, actor))
    }
    return { schemaVersion, dryRun, sessions }
  }
  routes.post("/extract", async (context) => {
    const { dryRun } = await bodyOf(context, requests.extract)
    await needs.beforeSessions?.()
    const ids = await unreadSessions(needs.db, needs.install)
    return context.json(await read(ids, dryRun, byOf(context, needs).actor))
  })
  routes.post("/:id/extract", async (context) => {
    const { dryRun } = await bodyOf(context, requests.extract)
    await needs.beforeSessions?.()
    const { id } = await requireSession(needs.db, context.req.param("id"))
    return context.json(await read([id], dryRun, byOf(context, needs).actor))
  })
  return routes
}

function refuseWhereOff({ config }: AppNeeds): void {
  if (config.memory.enabled && config.extraction.enabled) return
  const key = config.memory.enabled ? "extraction.enabled" : "memory.enabled"
  throw new UserError(
    "refused",
    `Nothing is learned from sessions while ${key} is false; set it to true first.`,
  )
}
