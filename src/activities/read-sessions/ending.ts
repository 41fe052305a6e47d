import { messageOf } from "../../base/errors.ts"
import { newId } from "../../base/random.ts"
import { closeSession } from "../../sessions/save-session.ts"
import type { Core } from "../../storage/core.ts"

/** Closes sessions when their tools report the end. */
export function openEnding(
  needs: Core & {
    /** Reads the rest of the transcripts. */
    readNow(): Promise<void>
  },
) {
  const { db, clock, random, log } = needs
  const closing = new Set<Promise<void>>()
  let isStopped = false

  async function close(session: string): Promise<void> {
    try {
      await needs.readNow()
      const by = { operation: newId(random, "op"), actor: "daemon" }
      await closeSession(db, session, { now: clock.now(), by })
    } catch (error) {
      log.warn("A session that ended could not be closed", { session, reason: messageOf(error) })
    }
  }

  return {
    /** Returns at once. The session is closed, and so due for extraction, after its last turns are read. */
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
