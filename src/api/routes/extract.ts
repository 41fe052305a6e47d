import { UserError } from "../../base/errors.ts"
import {
  type ExtractedSession,
  extractSession,
  previewSession,
} from "../../memory/extract/extract-session.ts"
import { unreadSessions } from "../../sessions/due-sessions.ts"
import { requireSession } from "../../sessions/sessions.ts"
import type { Extracted } from "../contract/session-answers.ts"
import type { AppNeeds } from "../needs.ts"
import type { On } from "../routing.ts"

/** Reading sessions for what they tell, now. */
export function extractRoutes(on: On, needs: AppNeeds): void {
  const read = async (ids: readonly string[], dryRun: boolean, actor: string): Promise<Extracted> => {
    refuseWhereOff(needs)
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

function refuseWhereOff({ config }: AppNeeds): void {
  if (config.memory.enabled && config.extraction.enabled) return
  const key = config.memory.enabled ? "extraction.enabled" : "memory.enabled"
  throw new UserError(
    "refused",
    `Nothing is learned from sessions while ${key} is false; set it to true first.`,
  )
}
