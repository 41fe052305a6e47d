import type { Database } from "../../storage/database.ts"
import { appendEntries, appendEntry, type By, type NewEntry, readJournal } from "../../storage/journal.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"
import { canonicalUrl } from "./items/canonical-url.ts"
import type { FeedItem } from "./items/item.ts"
import type { Validators } from "./sources/fetch-source.ts"
import { families, type Source, sourceKey } from "./sources/source.ts"

/** The state of a source: its last and next fetch. */
export interface SourceState extends Validators {
  source: string
  fetchedAt: number
  nextAt: number
  failures: number
  error: string | null
}

/** A source that the agent added for a community. */
export interface AddedSource extends Source {
  community: string
  title: string
  addedAt: number
}

/** A stored entry, with its source and its canonical address. */
export interface StoredItem extends FeedItem {
  source: string
  url: string
  firstSeenAt: number
}

/** A link that was posted in a community. */
export interface PostedLink {
  link: string
  by: "us" | "others"
  source?: string
}

/** The actor of the agent's changes in the journal. */
export const curator = "chat"

/** A source stores at most this many entries; those not seen for the longest time are deleted first. */
const maxItems = 200
/** Posted links are stored for this long, which is longer than dedupe_hours can be. */
const linksKeptMs = 100 * 24 * 3_600_000

export async function sourceStates(on: Reader): Promise<SourceState[]> {
  return on.read<SourceState>(sql`
    select source, etag, last_modified as "lastModified", fetched_at as "fetchedAt", next_at as "nextAt", failures, error
    from discovery_states`)
}

/** The sources that the agent added, for one community or for all. */
export async function addedSources(on: Reader, community?: string): Promise<AddedSource[]> {
  const where = community === undefined ? sql`true` : sql`community = ${community}`
  const rows = await on.read<Omit<AddedSource, "family"> & { family: string }>(sql`
    select community, family, value, title, added_at as "addedAt" from discovery_sources where ${where}
    order by added_at, source`)
  return rows.flatMap((row) => {
    const family = families.find((one) => one === row.family)
    return family === undefined ? [] : { ...row, family }
  })
}

/** Stores a successful fetch: the new state, the entries and the journal entry. */
export async function saveFetched(
  db: Database,
  { state, items }: { state: SourceState; items: readonly FeedItem[] },
  by: By,
): Promise<void> {
  const at = state.fetchedAt
  await db.write(async (transaction) => {
    const stored = await transaction.read<{ url: string }>(sql`
      select url from discovery_items where source = ${state.source}`)
    const known = new Set(stored.map(({ url }) => url))
    const fresh = byCanonicalUrl(items)
    await putState(transaction, state)
    for (const [url, item] of fresh) await putItem(transaction, state.source, url, item, at)
    await deleteOldItems(transaction, state.source)
    const isNew = [...fresh.keys()].filter((url) => !known.has(url)).length
    const data = { items: fresh.size, new: isNew, nextAt: state.nextAt }
    await appendEntry(transaction, { ...by, at, kind: "source.fetched", subject: state.source, data })
  })
}

/** Stores a failed fetch, and when it is retried. */
export async function saveFailure(db: Database, state: SourceState, by: By): Promise<void> {
  const { source, fetchedAt: at, error: reason, failures, nextAt } = state
  await db.write(async (transaction) => {
    await putState(transaction, state)
    const data = { reason, failures, nextAt }
    await appendEntry(transaction, { ...by, at, kind: "source.failed", subject: source, data })
  })
}

/** Deletes the states and entries of sources that are no longer used. */
export async function deleteUnused(db: Database, used: readonly string[], at: number, by: By): Promise<void> {
  const stored = await db.read<{ source: string }>(sql`select source from discovery_states`)
  const gone = stored.map(({ source }) => source).filter((source) => !used.includes(source))
  if (gone.length === 0) return
  await db.write(async (transaction) => {
    await transaction.run(sql`delete from discovery_states where source in ${sqlList(gone)}`)
    await transaction.run(sql`delete from discovery_items where source in ${sqlList(gone)}`)
    const entries = gone.map((subject): NewEntry => ({ ...by, at, kind: "source.forgotten", subject }))
    await appendEntries(transaction, entries)
  })
}

/** The entries of sources that were seen since a time. */
export async function storedItems(
  on: Reader,
  sources: readonly string[],
  since: number,
): Promise<StoredItem[]> {
  const rows = await on.read<Omit<StoredItem, "isNsfw"> & { isNsfw: number }>(sql`
    select source, url, link, title, summary, published_at as "publishedAt", popularity, is_nsfw as "isNsfw",
      first_seen_at as "firstSeenAt"
    from discovery_items where source in ${sqlList(sources)} and last_seen_at >= ${since}
    order by source, url`)
  return rows.map((row) => ({ ...row, isNsfw: Number(row.isNsfw) !== 0 }))
}

export async function itemCounts(on: Reader): Promise<Map<string, number>> {
  const rows = await on.read<{ source: string; entries: number }>(sql`
    select source, count(*) as entries from discovery_items group by source`)
  return new Map(rows.map(({ source, entries }) => [source, Number(entries)]))
}

/** Stores links that were posted in a community, by us or by others; other addresses than web addresses are ignored. */
export async function recordLinks(
  db: Database,
  { community, at, links }: { community: string; at: number; links: readonly PostedLink[] },
  actor: By,
): Promise<void> {
  const rows = links.flatMap(({ link, by, source = null }) => {
    const url = canonicalUrl(link)
    return url === undefined ? [] : [{ url, by, source }]
  })
  if (rows.length === 0) return
  await db.write(async (transaction) => {
    for (const { url, by, source } of rows) {
      await transaction.run(sql`
        insert into discovery_links (community, url, posted_by, source, at)
        values (${community}, ${url}, ${by}, ${source}, ${at})
        on conflict (community, url) do update set posted_by = excluded.posted_by, at = excluded.at,
          source = coalesce(excluded.source, discovery_links.source)`)
    }
    await transaction.run(sql`delete from discovery_links where at < ${at - linksKeptMs}`)
    const data = { by: [...new Set(rows.map(({ by }) => by))], links: rows.length }
    await appendEntry(transaction, { ...actor, at, kind: "link.noted", subject: community, data })
  })
}

/** The canonical addresses that were posted in a community since a time. */
export async function postedSince(on: Reader, community: string, since: number): Promise<Set<string>> {
  const rows = await on.read<{ url: string }>(sql`
    select url from discovery_links where community = ${community} and at >= ${since}`)
  return new Set(rows.map(({ url }) => url))
}

/** Adds a source in the caller's transaction, with its journal entry. */
export async function insertSource(
  transaction: Transaction,
  source: AddedSource,
  { by, reason }: { by: By; reason: string },
): Promise<void> {
  const { community, family, value, title, addedAt: at } = source
  await transaction.run(sql`
    insert into discovery_sources (community, source, family, value, title, added_at)
    values (${community}, ${sourceKey(source)}, ${family}, ${value}, ${title}, ${at})
    on conflict (community, source) do nothing`)
  const data = { community, family, value, title, reason }
  await appendEntry(transaction, { ...by, at, kind: "source.added", subject: sourceKey(source), data })
}

/** Removes a source that the agent added, in the caller's transaction, with its journal entry. */
export async function deleteSource(
  transaction: Transaction,
  source: AddedSource,
  { by, reason, at }: { by: By; reason: string; at: number },
): Promise<void> {
  const { community, family, value, title, addedAt } = source
  const key = sourceKey(source)
  await transaction.run(sql`delete from discovery_sources where community = ${community} and source = ${key}`)
  const data = { community, family, value, title, addedAt, reason }
  await appendEntry(transaction, { ...by, at, kind: "source.removed", subject: key, data })
}

/** How many sources the agent added for a community since a time, including those it removed again. */
export async function additionsSince(on: Reader, community: string, since: number): Promise<number> {
  const entries = await readJournal(on, {
    kind: "source.added",
    where: sql`at > ${since}`,
    newestFirst: true,
  })
  const isTheirs = (data: unknown) => (data as { community?: unknown }).community === community
  return entries.filter(({ actor, data }) => actor === curator && isTheirs(data)).length
}

function byCanonicalUrl(items: readonly FeedItem[]): Map<string, FeedItem> {
  const byUrl = new Map<string, FeedItem>()
  for (const item of items) {
    const url = canonicalUrl(item.link)
    if (url !== undefined && !byUrl.has(url)) byUrl.set(url, item)
  }
  return byUrl
}

async function putState(transaction: Transaction, state: SourceState): Promise<void> {
  const { source, etag, lastModified, fetchedAt, nextAt, failures, error } = state
  await transaction.run(sql`
    insert into discovery_states (source, etag, last_modified, fetched_at, next_at, failures, error)
    values (${source}, ${etag}, ${lastModified}, ${fetchedAt}, ${nextAt}, ${failures}, ${error})
    on conflict (source) do update set etag = excluded.etag, last_modified = excluded.last_modified,
      fetched_at = excluded.fetched_at, next_at = excluded.next_at, failures = excluded.failures, error = excluded.error`)
}

async function putItem(
  transaction: Transaction,
  source: string,
  url: string,
  item: FeedItem,
  at: number,
): Promise<void> {
  const { link, title, summary, publishedAt, popularity, isNsfw } = item
  await transaction.run(sql`
    insert into discovery_items
      (source, url, link, title, summary, published_at, popularity, is_nsfw, first_seen_at, last_seen_at)
    values (${source}, ${url}, ${link}, ${title}, ${summary}, ${publishedAt}, ${popularity}, ${isNsfw ? 1 : 0}, ${at}, ${at})
    on conflict (source, url) do update set title = excluded.title, summary = excluded.summary,
      popularity = excluded.popularity, is_nsfw = excluded.is_nsfw, last_seen_at = excluded.last_seen_at`)
}

async function deleteOldItems(transaction: Transaction, source: string): Promise<void> {
  await transaction.run(sql`
    delete from discovery_items where source = ${source} and url not in (
      select url from discovery_items where source = ${source}
      order by last_seen_at desc, first_seen_at desc, url limit ${maxItems})`)
}
