import { parseFeed as parseAny } from "feedsmith"
import { timeOf } from "../../../base/clock.ts"
import type { FeedItem, ReadFeed } from "../items/item.ts"
import { plainText } from "../items/plain-text.ts"

const longestTitle = 300
const longestSummary = 500
/** Clocks differ by this much at most; what claims to be later would stay the newest for ever. */
const aheadMs = 24 * 3_600_000

/** Feeds say hundreds of things in many ways; of what the library found we look at a few, and trust none to be there. */
type Found = Readonly<Record<string, unknown>>

interface FeedJob {
  /** Where it came from; links may be told from there. */
  url: string
  most: number
  now: number
}

/**
 * Reads RSS, Atom, RDF or JSON Feed. Entries without a link to a web page, and a second one of the same link, are left
 * out. Throws where it is no feed.
 */
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

/** By the time they tell; those that tell none come last, in the feed's own order. */
function newestFirst(items: readonly FeedItem[]): FeedItem[] {
  return items.toSorted((a, b) => (b.publishedAt ?? 0) - (a.publishedAt ?? 0))
}

function itemOf(entry: Found, base: string, now: number): FeedItem | undefined {
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

function linkOf(entry: Found, base: string): string | undefined {
  const links = listIn(entry.links).map(record)
  const chosen = links.find(({ rel }) => rel === undefined || rel === "alternate")
  const guid = record(entry.guid)
  const permanent = guid.isPermaLink === false ? undefined : guid.value
  const given = [entry.url, entry.link, chosen?.href, entry.external_url, permanent, entry.id]
  for (const one of given) {
    const url = typeof one === "string" && one.length <= 2048 ? URL.parse(one.trim(), base) : null
    const isWeb = url !== null && /^https?:$/.test(url.protocol) && url.username === ""
    // An id is a link only if it says so itself.
    if (isWeb && (one !== entry.id || /^https?:\/\//i.test(String(one)))) return url.href
  }
  return undefined
}

function summaryOf(entry: Found, media: readonly Found[]): string | undefined {
  const given = [
    ...[entry.summary, entry.description, entry.content_text, entry.content_html],
    ...[entry.content, ...media.map(({ description }) => description)],
  ]
  return given.map(textIn).find((text) => text !== undefined && text.trim() !== "")
}

function timeIn(entry: Found, now: number): number | null {
  const dc = record(entry.dc)
  const given = [
    ...[entry.published, entry.pubDate, entry.date_published, dc.date, ...listIn(dc.dates)],
    ...[entry.updated, entry.date_modified],
  ]
  for (const one of given) {
    const time = typeof one === "string" && one.length < 100 ? timeOf(one) : undefined
    if (time !== undefined && time > 0 && time < now + aheadMs) return time
  }
  return null
}

/** Media elements of an entry: at its top, and in its groups. */
function mediaOf(entry: Found): Found[] {
  const top = record(entry.media)
  return [top, record(top.group), ...listIn(top.groups).slice(0, 10).map(record)]
}

function popularityOf(entry: Found, media: readonly Found[]): number | null {
  const counts = [
    ...media.map(({ community }) => record(record(community).statistics).views),
    ...[record(entry.slash).comments, record(entry.thr).total],
  ]
  const first = counts.map(Number).find((count) => Number.isFinite(count) && count >= 0)
  return first ?? null
}

function isAdult(entry: Found, media: readonly Found[]): boolean {
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

function record(value: unknown): Found {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Found) : {}
}
