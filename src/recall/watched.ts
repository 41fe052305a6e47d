import { occursIn } from "../memory/find/triggers.ts"
import type { RecallCore } from "./core.ts"
import type { LiveSession } from "./session/live-sessions.ts"
import type { Prepared } from "./session/session-state.ts"

/** Of a text no more than this is searched for words that bring memories up. */
const longestWatched = 20_000

/** The memories that bring themselves up by words in a text. Reads nothing. */
export function watchedBy(core: RecallCore, live: LiveSession, text: string): Prepared[] {
  const brief = live.scope && core.briefs.known(live.scope)
  if (brief === undefined) return []
  const searched = text.slice(0, longestWatched)
  return brief.watched.flatMap(({ triggers, ...memory }) => {
    const pattern = triggers.find((one) => occursIn(one, searched))
    return pattern === undefined ? [] : [{ ...memory, via: [`trigger ${pattern}`] }]
  })
}
