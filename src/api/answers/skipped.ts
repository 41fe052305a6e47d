import { isoTime } from "../../base/clock.ts"
import { skippedPlaces } from "../../coding/sessions/skipped-places.ts"
import type { SkippedJson } from "../contract.ts"
import type { AppNeeds } from "../needs.ts"

/** The transcripts that are read no more, as they travel. */
export async function skippedAnswer({ db, install }: AppNeeds): Promise<SkippedJson[]> {
  const skipped = await skippedPlaces(db, install)
  return skipped.map(({ tool, place, reason, at }) => ({ tool, place, reason, since: isoTime(at) }))
}
