import { z } from "zod"
import { newId } from "../../base/random.ts"
import { count } from "../../base/text/text.ts"
import type { Core } from "../../storage/core.ts"
import { type By, readJournal } from "../../storage/journal.ts"
import type { Reader } from "../../storage/transaction.ts"
import { fetchSource, type SourceNeeds } from "./sources/fetch-source.ts"
import {
  configuredSources,
  type DiscoveryConfig,
  type Family,
  families,
  isEnabled,
  readSource,
  type Source,
  sourceKey,
} from "./sources/source.ts"
import {
  type AddedSource,
  addedSources,
  additionsSince,
  curator,
  deleteSource,
  insertSource,
  type SourceState,
  sourceStates,
} from "./store.ts"

export interface CurateNeeds extends SourceNeeds, Pick<Core, "db" | "random"> {}

/** A change that the agent requests for a community's sources. */
export interface SourceChange {
  community: string
  family: Family
  value: string
  reason: string
}

type Changed = { source: AddedSource; operation: string; found: string[] } | { problem: string }

const dayMs = 24 * 3_600_000

/**
 * Adds a source for a community. Its family must be enabled, a test fetch must give entries, and it must fit the
 * configured limits, which are checked again in the transaction.
 */
export async function addSource(
  needs: CurateNeeds,
  config: DiscoveryConfig,
  change: SourceChange,
  signal?: AbortSignal,
): Promise<Changed> {
  const { db, clock, random } = needs
  const { community, family, value, reason } = change
  const source = readSource(family, value)
  if ("problem" in source) return source
  const early = await problemWith(db, config, community, source, clock.now())
  if (early !== undefined) return { problem: early }
  const read = await probeSource(needs, config, source, signal)
  if ("problem" in read) return read
  const by: By = { operation: newId(random, "op"), actor: curator }
  const added = { ...source, community, title: read.title, addedAt: clock.now() }
  const problem = await db.write(async (transaction) => {
    const found = await problemWith(transaction, config, community, source, clock.now())
    if (found === undefined) await insertSource(transaction, added, { by, reason })
    return found
  })
  return problem === undefined ? { source: added, operation: by.operation, found: read.found } : { problem }
}

/** Removes a source that the agent added; never one of the configuration. */
export async function removeSource(
  { db, clock, random }: Pick<CurateNeeds, "db" | "clock" | "random">,
  config: DiscoveryConfig,
  { community, family, value, reason }: SourceChange,
): Promise<Changed> {
  if (!config.allow_self_curation) return { problem: notAllowed }
  const source = readSource(family, value)
  if ("problem" in source) return source
  const key = sourceKey(source)
  const by: By = { operation: newId(random, "op"), actor: curator }
  const at = clock.now()
  const removed = await db.write(async (transaction) => {
    const known = await addedSources(transaction, community)
    const found = known.find((one) => sourceKey(one) === key)
    if (found !== undefined) await deleteSource(transaction, found, { by, reason, at })
    return found
  })
  if (removed !== undefined) return { source: removed, operation: by.operation, found: [] }
  const isOwn = configuredSources(config).some((one) => sourceKey(one) === key)
  return {
    problem: isOwn
      ? `${key} is in the user's own list, which only the user changes.`
      : `${key} is not being read.`,
  }
}

/** A source, who added it and its state. */
export interface ListedSource extends Source {
  key: string
  title: string
  addedBy: "person" | "agent"
  /** The community that the agent added it for; null for all. */
  community: string | null
  /** Undefined if it was not read yet. */
  state: SourceState | undefined
}

/** All sources: the configured ones, and those the agent added for matching communities. */
export async function allSources(
  db: Reader,
  config: DiscoveryConfig,
  matches: (community: string) => boolean,
): Promise<ListedSource[]> {
  const states = new Map((await sourceStates(db)).map((state) => [state.source, state]))
  const own = configuredSources(config).map((source) => {
    return { ...source, title: "", addedBy: "person" as const, community: null }
  })
  const added = (await addedSources(db))
    .filter(({ community }) => matches(community))
    .map(({ addedAt, ...source }) => ({ ...source, addedBy: "agent" as const }))
  return [...own, ...added].map((one) => {
    const key = sourceKey(one)
    return { ...one, key, state: states.get(key) }
  })
}

/** The sources of a community, each once. */
export async function listSources(
  db: Reader,
  config: DiscoveryConfig,
  community: string,
): Promise<ListedSource[]> {
  const all = await allSources(db, config, (one) => one === community)
  const own = new Set(all.flatMap(({ addedBy, key }) => (addedBy === "person" ? [key] : [])))
  return all.filter(
    ({ addedBy, key, family }) => addedBy === "person" || (!own.has(key) && isEnabled(config, family)),
  )
}

/** Whether an operation changed sources. */
export async function changedSources(on: Reader, operation: string): Promise<boolean> {
  return (await readJournal(on, { operation, kind: ["source.added", "source.removed"], limit: 1 })).length > 0
}

/** Undoes a change of sources; returns how many changed. */
export async function undoSourceChange(
  { db, clock }: Pick<CurateNeeds, "db" | "clock">,
  operation: string,
  by: By,
): Promise<number> {
  const at = clock.now()
  const reason = `undo of ${operation}`
  return db.write(async (transaction) => {
    const entries = await readJournal(transaction, { operation, kind: "source." })
    let changed = 0
    for (const { kind, data } of entries.toReversed()) {
      const { data: source } = journalledSource.safeParse(data)
      if (source === undefined) continue
      const isThere = (await addedSources(transaction, source.community)).some(
        (one) => sourceKey(one) === sourceKey(source),
      )
      if (kind === "source.added" && isThere) await deleteSource(transaction, source, { by, reason, at })
      else if (kind === "source.removed" && !isThere)
        await insertSource(transaction, { ...source, addedAt: at }, { by, reason })
      else continue
      changed += 1
    }
    return changed
  })
}

const notAllowed = "chat.initiative.discovery.allow_self_curation is off, so only the user changes sources."

async function problemWith(
  on: Reader,
  config: DiscoveryConfig,
  community: string,
  source: Source,
  now: number,
): Promise<string | undefined> {
  const { family } = source
  if (!config.allow_self_curation) return notAllowed
  if (family === "hacker_news")
    return "Hacker News has one list, and chat.initiative.discovery.sources.hacker_news switches it."
  if (!isEnabled(config, family))
    return `Sources of the type ${family} are switched off in chat.initiative.discovery.`
  const listed = await listSources(on, config, community)
  if (listed.some(({ key }) => key === sourceKey(source)))
    return `${sourceKey(source)} is being read already.`
  const most = config.max_sources_per_type
  if (listed.filter((one) => one.family === family).length >= most)
    return `There are ${count(most, "source")} of the type ${family} already, which is the most; remove one first.`
  const perDay = config.max_additions_per_day
  if ((await additionsSince(on, community, now - dayMs)) >= perDay)
    return `${count(perDay, "source")} a day may be added, and that many were; try again tomorrow.`
  return undefined
}

/** Fetches the source once, as it will be fetched later. */
async function probeSource(
  needs: CurateNeeds,
  config: DiscoveryConfig,
  source: Source,
  signal: AbortSignal | undefined,
): Promise<{ title: string; found: string[] } | { problem: string }> {
  let left = 3
  const spend = () => {
    left -= 1
    return left >= 0
  }
  const known = { etag: null, lastModified: null }
  const outcome = await fetchSource(needs, { config, source, known, isConfigured: false, spend, signal })
  if (outcome.outcome === "failed")
    return { problem: `${sourceKey(source)} cannot be read: ${outcome.reason}.` }
  if (outcome.outcome !== "items" || outcome.items.length === 0)
    return { problem: `${sourceKey(source)} has no entries.` }
  const usable = outcome.items.filter(({ isNsfw }) => config.allow_nsfw || !isNsfw)
  if (usable.length * 2 < outcome.items.length) return { problem: `${sourceKey(source)} is mostly adult.` }
  return { title: outcome.title, found: usable.slice(0, 3).map(({ title }) => title) }
}

const journalledSource = z.looseObject({
  community: z.string(),
  family: z.enum(families),
  value: z.string(),
  title: z.string().catch(""),
  addedAt: z.number().catch(0),
})
