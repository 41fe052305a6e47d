import { yieldToEventLoop } from "../base/clock.ts"
import { messageOf } from "../base/errors.ts"
import type { InstallCore } from "../storage/core.ts"
import { dueSessions } from "./due-sessions.ts"
import { type ReadContext, readSession, type SessionReader } from "./read-session.ts"

/** How long to wait before reading a session again after a failure. */
const restMs = 10 * 60_000

/** Reads every session that is due, oldest first. A failure is logged, and the others are read. */
export async function readDue(
  needs: InstallCore & ReadContext,
  reader: SessionReader<object>,
  resting: Map<string, number>,
): Promise<void> {
  for (const id of await dueSessions(needs, reader)) {
    await yieldToEventLoop()
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
