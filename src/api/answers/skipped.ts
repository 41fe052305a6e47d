import { isoTime } from "../../base/clock.ts"
import { skippedLocations } from "../../coding/sessions/skipped-locations.ts"
import type { SkippedJson } from "../contract/session-answers.ts"
import type { AppNeeds } from "../needs.ts"

/** The transcripts that are read no more, as they travel. */
export async function skippedAnswer({ db, install }: AppNeeds): Promise<SkippedJson[]> {
  const skipped = await skippedLocations(db, install)
  return skipped.map(({ tool, location, reason, at }) => ({
    tool,
    place: location,
    reason,
    since: isoTime(at),
  }))
}
