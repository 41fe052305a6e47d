import type { Clock } from "../../../base/clock.ts"
import {
  overviewSources,
  type SourceChangeOverview,
  type SourceOverview,
  sourceChanges,
} from "../../../chat/discovery/overview.ts"
import { performance, type ResponseTotals } from "../../../chat/feedback/performance.ts"
import { postCommunities } from "../../../chat/feedback/store.ts"
import type { Config } from "../../../config/schema.ts"
import type { Reader } from "../../../storage/transaction.ts"

interface SourcesReport {
  sources: (SourceOverview & { taken: ResponseTotals | undefined; change: string | null })[]
  changes: SourceChangeOverview[]
}

/** All sources, their state, and how people responded to them. A community is PLATFORM/COMMUNITY, or its last part. */
export async function reportSources(
  { db, clock, config }: { db: Reader; clock: Clock; config: Config },
  community: string | undefined,
): Promise<SourcesReport> {
  const matches = (one: string) =>
    community === undefined || one === community || one.endsWith(`/${community}`)
  const posted = (await postCommunities(db)).find(matches)
  const { bySource } = await performance(
    { db, clock },
    community === undefined ? undefined : (posted ?? community),
  )
  const changes = await sourceChanges(db, matches)
  const sources = await overviewSources(db, config.chat.initiative.discovery, matches)
  const changeOf = ({ key, community: of }: SourceOverview) =>
    changes.find((one) => one.holds && one.source === key && one.community === of && one.change === "added")
  return {
    changes,
    sources: sources.map((one) => {
      return { ...one, taken: bySource.get(one.key), change: changeOf(one)?.id ?? null }
    }),
  }
}
