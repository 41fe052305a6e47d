import { newId } from "../../base/random.ts"
import type { Database } from "../../storage/database.ts"
import type { By } from "../../storage/journal.ts"
import type { CurateNeeds } from "./curate.ts"
import { fetchSource, type SourceOutcome } from "./sources/fetch-source.ts"
import {
  configuredSources,
  type DiscoveryConfig,
  isEnabled,
  type Source,
  sourceKey,
} from "./sources/source.ts"
import {
  addedSources,
  deleteUnused,
  type SourceState,
  saveFailure,
  saveFetched,
  sourceStates,
} from "./store.ts"

/** The result of one round of fetching. */
export interface RoundReport {
  read: number
  unchanged: number
  failed: number
  /** Due sources that were not fetched; they come first in the next round. */
  left: number
  requests: number
}

/** How many sources are fetched at once; those of one host still wait for each other. */
const concurrent = 4
const longestPauseMs = 24 * 3_600_000

/** Fetches the due sources, those that waited longest first, with at most `fetches_per_round` requests. */
export async function readSources(
  needs: CurateNeeds,
  config: DiscoveryConfig,
  signal?: AbortSignal,
): Promise<RoundReport> {
  const { db, clock } = needs
  const by: By = { operation: newId(needs.random, "op"), actor: "discovery" }
  const sources = await enabledSources(db, config)
  await deleteUnused(db, [...sources.keys()], clock.now(), by)
  const states = new Map((await sourceStates(db)).map((state) => [state.source, state]))
  const due = dueSources(sources, states, clock.now())
  const report: RoundReport = { read: 0, unchanged: 0, failed: 0, left: 0, requests: 0 }
  const spend = () => {
    if (signal?.aborted || report.requests >= config.fetches_per_round) return false
    report.requests += 1
    return true
  }
  const waiting = [...due]
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const state = states.get(next.key) ?? fresh(next.key)
      const { etag, lastModified } = state
      const request = { config, ...next, known: { etag, lastModified }, spend, signal }
      const outcome = await fetchSource(needs, request)
      // An aborted request is not a failure of the source.
      if (signal?.aborted) report.left += 1
      else await save(needs, config, { state, outcome, by, report })
    }
  }
  await Promise.all(Array.from({ length: concurrent }, work))
  return report
}

interface DueSource {
  key: string
  source: Source
  isConfigured: boolean
}

/** Every enabled source, configured or added by the agent, each once. */
async function enabledSources(db: Database, config: DiscoveryConfig): Promise<Map<string, DueSource>> {
  const added = (await addedSources(db)).filter(({ family }) => isEnabled(config, family))
  const each = [
    ...added.map(({ family, value }) => ({ source: { family, value }, isConfigured: false })),
    ...configuredSources(config).map((source) => ({ source, isConfigured: true })),
  ]
  return new Map(each.map((one) => [sourceKey(one.source), { key: sourceKey(one.source), ...one }]))
}

function dueSources(
  sources: ReadonlyMap<string, DueSource>,
  states: ReadonlyMap<string, Pick<SourceState, "nextAt">>,
  now: number,
): DueSource[] {
  const nextAt = (key: string) => states.get(key)?.nextAt ?? 0
  return [...sources.values()]
    .filter(({ key }) => nextAt(key) <= now || nextAt(key) > now + 2 * longestPauseMs)
    .sort((a, b) => nextAt(a.key) - nextAt(b.key) || (a.key < b.key ? -1 : 1))
}

function fresh(source: string): SourceState {
  return { source, etag: null, lastModified: null, fetchedAt: 0, nextAt: 0, failures: 0, error: null }
}

async function save(
  { db, clock }: CurateNeeds,
  config: DiscoveryConfig,
  { state, outcome, by, report }: { state: SourceState; outcome: SourceOutcome; by: By; report: RoundReport },
): Promise<void> {
  const now = clock.now()
  const pauseMs = config.refresh_minutes * 60_000
  const well = { ...state, fetchedAt: now, nextAt: now + pauseMs, failures: 0, error: null }
  switch (outcome.outcome) {
    case "items":
      report.read += 1
      return saveFetched(db, { state: { ...well, ...outcome.validators }, items: outcome.items }, by)
    case "unchanged":
      report.unchanged += 1
      return saveFetched(db, { state: well, items: [] }, by)
    case "skipped":
      report.left += 1
      return
    case "failed": {
      report.failed += 1
      const failures = state.failures + 1
      const nextAt = retryAt(outcome, failures, pauseMs, now)
      return saveFailure(
        db,
        { ...state, fetchedAt: now, nextAt, failures, error: outcome.reason.slice(0, 300) },
        by,
      )
    }
  }
}

/** Waits longer after each failure, up to a day, and at least as long as the server asks. */
function retryAt(
  { isGone, retryAt: wanted = 0 }: Extract<SourceOutcome, { outcome: "failed" }>,
  failures: number,
  pauseMs: number,
  now: number,
): number {
  const own = isGone ? longestPauseMs : Math.min(longestPauseMs, pauseMs * 2 ** Math.min(10, failures))
  return Math.max(now + own, Math.min(wanted, now + longestPauseMs))
}
