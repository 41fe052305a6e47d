import { nextTurn } from "../../base/clock.ts"
import { messageOf } from "../../base/errors.ts"
import { heldSessions, unreadSessions } from "../../sessions/due-sessions.ts"
import { type ExtractSessionNeeds, extractSession } from "./extract-session.ts"

const dayMs = 86_400_000
/** How long a session that could not be read is left alone. */
const restMs = 10 * 60_000

/** Reads every session that is due, oldest first; one that fails does not keep the others. */
export async function extractDue(needs: ExtractSessionNeeds, resting: Map<string, number>): Promise<void> {
  for (const id of await dueSessions(needs)) {
    await nextTurn()
    if (needs.signal?.aborted) return
    if ((resting.get(id) ?? 0) > needs.clock.now()) continue
    try {
      await extractSession(needs, id, "daemon")
    } catch (error) {
      if (needs.signal?.aborted) return
      resting.set(id, needs.clock.now() + restMs)
      needs.log.warn("A session could not be read", { session: id, reason: messageOf(error) })
    }
  }
}

/** The sessions of this installation that have something unread and are over, idle, or long enough; or held ones. */
export async function dueSessions(needs: ExtractSessionNeeds): Promise<string[]> {
  const unread = await unreadDue(needs)
  const held = (await heldDue(needs)).filter((id) => !unread.includes(id))
  return [...unread, ...held]
}

/** What waits for a model is due when one may be asked again. */
async function heldDue({ db, install, models }: ExtractSessionNeeds): Promise<string[]> {
  const held = await heldSessions(db, install)
  return held.length > 0 && (await models?.choose("extraction"))?.chosen ? held : []
}

function unreadDue({ db, clock, config, install }: ExtractSessionNeeds): Promise<string[]> {
  const { every_turns, idle_minutes, look_back_days } = config.extraction
  const now = clock.now()
  return unreadSessions(db, install, {
    since: now - look_back_days * dayMs,
    idleBefore: now - idle_minutes * 60_000,
    everyTurns: every_turns,
  })
}
