import { nextTurn } from "../base/clock.ts"
import { messageOf } from "../base/errors.ts"
import type { InstallCore } from "../storage/core.ts"
import { heldSessions, unreadSessions } from "./due-sessions.ts"
import { type ReadSessionNeeds, readSession, type SessionReader } from "./read-session.ts"

const dayMs = 86_400_000
/** How long a session that could not be read is left alone. */
const restMs = 10 * 60_000

/** Has every session read that is due, oldest first; one that fails does not keep the others. */
export async function readDue(
  needs: InstallCore & ReadSessionNeeds,
  reader: SessionReader<object>,
  resting: Map<string, number>,
): Promise<void> {
  for (const id of await dueSessions(needs, reader)) {
    await nextTurn()
    if (needs.signal?.aborted) return
    if ((resting.get(id) ?? 0) > needs.clock.now()) continue
    try {
      await readSession(needs, { id, actor: "daemon" }, reader)
    } catch (error) {
      if (needs.signal?.aborted) return
      resting.set(id, needs.clock.now() + restMs)
      needs.log.warn("A session could not be read", { session: id, reason: messageOf(error) })
    }
  }
}

/** The sessions of this installation that have something unread and are over, idle, or long enough; or held ones. */
export async function dueSessions(
  { db, clock, config, install }: InstallCore,
  reader: Pick<SessionReader<object>, "hasModel">,
): Promise<string[]> {
  const { every_turns, idle_minutes, look_back_days } = config.extraction
  const now = clock.now()
  const unread = await unreadSessions(db, install, {
    since: now - look_back_days * dayMs,
    idleBefore: now - idle_minutes * 60_000,
    everyTurns: every_turns,
  })
  const held = (await heldSessions(db, install)).filter((id) => !unread.includes(id))
  // What waits for a model is due when one may be asked again.
  return held.length > 0 && (await reader.hasModel()) ? [...unread, ...held] : unread
}
