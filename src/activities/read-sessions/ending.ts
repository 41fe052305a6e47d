import type { Clock } from "../../base/clock.ts"
import { messageOf } from "../../base/errors.ts"
import type { Log } from "../../base/log.ts"
import { newId, type Random } from "../../base/random.ts"
import { closeSession } from "../../sessions/keep-session.ts"
import type { Database } from "../../storage/database.ts"

interface EndingNeeds {
  db: Database
  clock: Clock
  random: Random
  log: Log
  /** Reads what transcripts still have. */
  lookNow(): Promise<void>
}

/** Closes sessions whose tools tell that they are over. */
export interface Ending {
  /** Returns at once; the session is closed, and so due for extraction, once its last words are read. */
  ended(session: string): void
  stop(): Promise<void>
}

/** Takes notice of sessions that end. */
export function openEnding(needs: EndingNeeds): Ending {
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
    ended(session) {
      if (isStopped) return
      const work = close(session).finally(() => closing.delete(work))
      closing.add(work)
    },
    async stop() {
      isStopped = true
      await Promise.all(closing)
    },
  }
}
