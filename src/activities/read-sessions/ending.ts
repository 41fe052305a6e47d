import { messageOf } from "../../base/errors.ts"
import { newId } from "../../base/random.ts"
import { closeSession } from "../../sessions/keep-session.ts"
import type { Core } from "../../storage/core.ts"

/** Closes sessions whose tools tell that they are over. */
export function openEnding(
  needs: Core & {
    /** Reads what transcripts still have. */
    lookNow(): Promise<void>
  },
) {
  const { db, clock, random, log } = needs
  const closing = new Set<Promise<void>>()
  let isStopped = false

  async function close(session: string): Promise<void> {
    try {
      await needs.lookNow()
      const by = { operation: newId(random, "op"), actor: "daemon" }
      await closeSession(db, session, { now: clock.now(), by })
    } catch (error) {
      log.warn("A session that ended could not be closed", { session, reason: messageOf(error) })
    }
  }

  return {
    /** Returns at once; the session is closed, and so due for extraction, once its last words are read. */
    ended(session: string): void {
      if (isStopped) return
      const work = close(session).finally(() => closing.delete(work))
      closing.add(work)
    },
    async stop(): Promise<void> {
      isStopped = true
      await Promise.all(closing)
    },
  }
}
export type Ending = ReturnType<typeof openEnding>
