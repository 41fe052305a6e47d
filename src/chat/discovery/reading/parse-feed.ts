import { parseFeed as parseAny } from "feedsmith"
import { parseMoment } from "../../../base/clock.ts"
import type { FeedItem, ReadFeed } from "../items/item.ts"
import { plainText } from "../items/plain-text.ts"

const longestTitle = 300
const longestSummary = 500
/** A time further ahead than this is ignored: such an entry would stay the newest for ever. */
const aheadMs = 24 * 3_600_000

/** The parsed feed as untyped data: feeds have many forms, and any field may be missing. */
type FeedData = Readonly<Record<string, unknown>>

interface FeedJob {
  /** The address of the feed; links may be relative to it. */
  url: string
  most: number
  now: number
}

/** Reads RSS, Atom, RDF or JSON Feed. Entries without a web link and duplicates are left out. Throws if it is not a feed. */
export function parseFeed(text: string, { url, most, now }: FeedJob): ReadFeed {
  const { feed }: { feed: unknown } = parseAny(text)
  const found = record(feed)
  const entries = [found.items, found.entries].filter(Array.isArray).flat().map(record)
  const byLink = new Map<string, FeedItem>()
  for (const entry of entries) {
    const item = itemOf(entry, url, now)
    if (item !== undefined && !byLink.has(item.link)) byLink.set(item.link, item)
  }
  const items = [...byLink.values()]
  return {
    title: plainText(textIn(found.title), longestTitle),
    items: newestFirst(items).slice(0, most),
    total: items.length,
  }
}

/** Entries without a time come last, in the order of the feed. */
function newestFirst(items: readonly FeedItem[]): FeedItem[] {
  return items.toSorted((a, b) => (b.publishedAt ?? 0) - (a.publishedAt ?? 0))
}

function itemOf(entry: FeedData, base: string, now: number): FeedItem | undefined {
  const link = linkOf(entry, base)
  if (link === undefined) return undefined
  const media = mediaOf(entry)
  const summary = plainText(summaryOf(entry, media), longestSummary)
  const title = plainText(textIn(entry.title), longestTitle)
  if (title === "" && summary === "") return undefined
  return {
    link,
    title: title === "" ? plainText(summary, 100) : title,
    summary,
    publishedAt: timeIn(entry, now),
    popularity: popularityOf(entry, media),
    isNsfw: isAdult(entry, media),
  }
}

function linkOf(entry: FeedData, base: string): string | undefined {
  const links = listIn(entry.links).map(record)
  const chosen = links.find(({ rel }) => rel === undefined || rel === "alternate")
  const guid = record(entry.guid)
  const permanent = guid.isPermaLink === false ? undefined : guid.value
  const candidates = [entry.url, entry.link, chosen?.href, entry.external_url, permanent, entry.id]
  for (const one of candidates) {
    const url = typeof one === "string" && one.length <= 2048 ? URL.parse(one.trim(), base) : null
    const isWeb = url !== null && /^https?:$/.test(url.protocol) && url.username === ""
    // An id is a link only if it is an absolute web address.
    if (isWeb && (one !== entry.id || /^https?:\/\//i.test(String(one)))) return url.href
  }
  return undefined
}

function summaryOf(entry: FeedData, media: readonly FeedData[]): string | undefined {
  const candidates = [
    ...[entry.summary, entry.description, entry.content_text, entry.content_html],
    ...[entry.content, ...media.map(({ description }) => description)],
  ]
  return candidates.map(textIn).find((text) => text !== undefined && text.trim() !== "")
}

function timeIn(entry: FeedData, now: number): number | null {
  const dc = record(entry.dc)
  const candidates = [
    ...[entry.published, entry.pubDate, entry.date_published, dc.date, ...listIn(dc.dates)],
    ...[entry.updated, entry.date_modified],
  ]
  for (const one of candidates) {
    const time = typeof one === "string" && one.length < 100 ? parseMoment(one) : undefined
    if (time !== undefined && time > 0 && time < now + aheadMs) return time
  }
  return null
}

/** Media elements of an entry: at its top, and in its groups. */
function mediaOf(entry: FeedData): FeedData[] {
  const top = record(entry.media)
  return [top, record(top.group), ...listIn(top.groups).slice(0, 10).map(record)]
}

function popularityOf(entry: FeedData, media: readonly FeedData[]): number | null {
  const counts = [
    ...media.map(({ community }) => record(record(community).statistics).views),
    ...[record(entry.slash).comments, record(entry.thr).total],
  ]
  const first = counts.map(Number).find((count) => Number.isFinite(count) && count >= 0)
  return first ?? null
}

function isAdult(entry: FeedData, media: readonly FeedData[]): boolean {
  const ratings = media.flatMap(({ ratings, rating }) => [...listIn(ratings), rating]).map(textIn)
  const labels = listIn(entry.categories).map((one) => {
    const { name, term, label } = record(one)
    return name ?? term ?? label
  })
  const explicit = record(entry.itunes).explicit
  return (
    explicit === true ||
    ratings.some((rating) => rating?.trim().toLowerCase() === "adult") ||
    [...labels, ...listIn(entry.tags)].some((label) => /^nsfw$/i.test(String(label).trim()))
  )
}

/** A text, or the text within an element. */
function textIn(value: unknown): string | undefined {
  if (typeof value === "string") return value
  const inner = record(value)
  const text = inner.value ?? inner.encoded
  return typeof text === "string" ? text : undefined
}

function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function record(value: unknown): FeedData {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as FeedData) : {}
}
