import type { Clock } from "../../../base/clock.ts"
import {
  overviewSources,
  type SourceChangeOverview,
  type SourceOverview,
  sourceChanges,
} from "../../../chat/discovery/overview.ts"
import { performance, type Taken } from "../../../chat/feedback/performance.ts"
import { postCommunities } from "../../../chat/feedback/store.ts"
import type { Config } from "../../../config/schema.ts"
import type { Reader } from "../../../storage/transaction.ts"

interface SourcesReport {
  sources: (SourceOverview & { taken: Taken | undefined; change: string | null })[]
  changes: SourceChangeOverview[]
}

/**
 * Everything that is read outside, how reading goes, and how people took what came of it. A community is named as it is
 * stored, PLATFORM/COMMUNITY, or by its own part alone.
 */
export async function reportSources(
  { db, clock, config }: { db: Reader; clock: Clock; config: Config },
  community: string | undefined,
): Promise<SourcesReport> {
  const isMeant = (one: string) =>
    community === undefined || one === community || one.endsWith(`/${community}`)
  const posted = (await postCommunities(db)).find(isMeant)
  const { bySource } = await performance(
    { db, clock },
    community === undefined ? undefined : (posted ?? community),
  )
  const changes = await sourceChanges(db, isMeant)
  const sources = await overviewSources(db, config.chat.initiative.discovery, isMeant)
  const changeOf = ({ key, community: of }: SourceOverview) =>
    changes.find((one) => one.holds && one.source === key && one.community === of && one.change === "added")
  return {
    changes,
    sources: sources.map((one) => ({
      ...{ ...one, taken: bySource.get(one.key), change: changeOf(one)?.id ?? null },
    })),
  }
}
