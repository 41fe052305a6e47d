import type { RecallCore } from "../core.ts"
import type { LiveSession } from "./live-sessions.ts"
import { findScope, type SessionScope } from "./session-scope.ts"

/** Finds out where a session is, and makes the words known that bring memories up there by themselves. */
export async function enter(core: RecallCore, live: LiveSession): Promise<SessionScope> {
  const scope = await findScope(core, live.session.project)
  live.scope = scope
  if ((await core.briefs.prepared(scope)) === undefined) core.background.run(core.briefs.refresh(scope))
  return scope
}
