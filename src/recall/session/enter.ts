import type { RecallCore } from "../core.ts"
import type { LiveSession } from "./live-sessions.ts"
import { findPlace, type RecallPlace } from "./session-place.ts"

/** Finds out where a session is, and makes the words known that bring memories up there by themselves. */
export async function enter(core: RecallCore, live: LiveSession): Promise<RecallPlace> {
  const place = await findPlace(core, live.session.project)
  live.place = place
  if ((await core.briefs.prepared(place)) === undefined) core.background.run(core.briefs.refresh(place))
  return place
}
