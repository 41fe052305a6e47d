import type { Clock } from "../../../base/clock.ts"
import type { Fetched, NotFetched } from "../../../base/net/safe-fetch/outcome.ts"
import type { SafeFetch, SafeRequest } from "../../../base/net/safe-fetch/safe-fetch.ts"
import { count } from "../../../base/text/text.ts"
import type { FeedItem } from "../items/item.ts"
import type { Reader } from "../reading/reader.ts"
import { readHackerNewsItem, readHackerNewsList, readSubreddit } from "./read-json.ts"
import type { DiscoveryConfig, Source } from "./source.ts"

/** The servers of the families; tests use their own. */
interface Endpoints {
  reddit: string
  youtube: string
  hackerNews: string
}

const defaultEndpoints: Endpoints = {
  reddit: "https://www.reddit.com",
  youtube: "https://www.youtube.com",
  hackerNews: "https://hacker-news.firebaseio.com",
}

/** The HTTP validators of a response, for conditional requests. */
export interface Validators {
  etag: string | null
  lastModified: string | null
}

export type SourceOutcome =
  | { outcome: "items"; title: string; items: FeedItem[]; validators: Validators }
  | { outcome: "unchanged" }
  /** The round had no request left. */
  | { outcome: "skipped" }
  /** `isGone`: the server answered 404 or 410. */
  | { outcome: "failed"; reason: string; retryAt?: number | undefined; isGone: boolean }

export interface SourceNeeds {
  clock: Clock
  fetch: SafeFetch
  reader: Reader
  endpoints?: Endpoints
}

interface SourceRequest {
  config: DiscoveryConfig
  source: Source
  known: Validators
  /** Whether it is in the configuration; only then it may be in a private network. */
  isConfigured: boolean
  /** Counts one request of the round; false if none is left. */
  spend(): boolean
  signal?: AbortSignal | undefined
}

/** Fetches one source. Never throws. */
export async function fetchSource(needs: SourceNeeds, request: SourceRequest): Promise<SourceOutcome> {
  const { reddit, youtube } = needs.endpoints ?? defaultEndpoints
  const { source, config } = request
  const { family, value } = source
  const name = encodeURIComponent(value)
  switch (family) {
    case "rss":
      return fetchFeed(needs, request, value)
    case "youtube":
      return fetchFeed(needs, request, `${youtube}/feeds/videos.xml?channel_id=${name}`)
    case "x":
      return fetchFeed(needs, request, `${config.x_bridge_url.replace(/\/$/, "")}/${name}/rss`)
    case "reddit":
      return fetchSubreddit(needs, request, `${reddit}/r/${name}`)
    case "hacker_news":
      return fetchHackerNews(needs, request)
  }
}

async function fetchFeed(
  needs: SourceNeeds,
  request: SourceRequest,
  address: string,
): Promise<SourceOutcome> {
  const response = await get(
    needs,
    request,
    address,
    "application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5",
  )
  if (response === undefined) return { outcome: "skipped" }
  if (!response.ok) return failure(response)
  if (response.status === 304) return { outcome: "unchanged" }
  const { source_fetch_limit: most } = request.config
  const contentType = response.headers.get("content-type")
  const feed = await needs.reader.feed({
    body: response.body,
    contentType,
    url: response.url,
    most,
    now: needs.clock.now(),
  })
  if ("problem" in feed)
    return { outcome: "failed", reason: `it is not a feed that can be read (${feed.problem})`, isGone: false }
  return { outcome: "items", title: feed.title, items: feed.items, validators: validatorsOf(response) }
}

/** Uses the JSON, which marks adult posts and has scores; if Reddit refuses it, the feed. */
async function fetchSubreddit(
  needs: SourceNeeds,
  request: SourceRequest,
  address: string,
): Promise<SourceOutcome> {
  const { source_fetch_limit: most } = request.config
  const response = await get(
    needs,
    request,
    `${address}/hot.json?limit=${most + 5}&raw_json=1`,
    "application/json",
  )
  if (response === undefined) return { outcome: "skipped" }
  const items = response.ok && response.status !== 304 ? readSubreddit(textOf(response), most) : undefined
  if (response.ok && response.status === 304) return { outcome: "unchanged" }
  if (response.ok && items !== undefined)
    return { outcome: "items", title: `r/${request.source.value}`, items, validators: validatorsOf(response) }
  const isRefused = response.ok || response.status === 401 || response.status === 403
  return isRefused ? fetchFeed(needs, request, `${address}/hot.rss?limit=${most + 5}`) : failure(response)
}

async function fetchHackerNews(needs: SourceNeeds, request: SourceRequest): Promise<SourceOutcome> {
  const base = `${(needs.endpoints ?? defaultEndpoints).hackerNews}/v0`
  const list = await get(needs, request, `${base}/topstories.json`, "application/json")
  if (list === undefined) return { outcome: "skipped" }
  if (!list.ok) return failure(list)
  if (list.status === 304) return { outcome: "unchanged" }
  const numbers = readHackerNewsList(textOf(list), request.config.source_fetch_limit)
  if (numbers === undefined) return { outcome: "failed", reason: "its list cannot be read", isGone: false }
  const items = await fetchStories(needs, request, base, numbers)
  if (items.length === 0 && numbers.length > 0) {
    const reason = `none of its ${count(numbers.length, "story", "stories")} could be fetched`
    return { outcome: "failed", reason, isGone: false }
  }
  return { outcome: "items", title: "Hacker News", items, validators: validatorsOf(list) }
}

/** Fetches the stories of a list, as far as requests are left. */
async function fetchStories(
  needs: SourceNeeds,
  request: SourceRequest,
  base: string,
  numbers: readonly number[],
): Promise<FeedItem[]> {
  const items: FeedItem[] = []
  const each = { ...request, known: { etag: null, lastModified: null } }
  // The API is made for one request per story, so no long pause is needed.
  const gapMs = Math.min(100, request.config.seconds_between_requests * 1000)
  for (const number of numbers) {
    const response = await get(needs, each, `${base}/item/${number}.json`, "application/json", gapMs)
    if (response === undefined || (!response.ok && (response.why === "busy" || response.why === "stopped")))
      break
    const item = response.ok ? readHackerNewsItem(textOf(response)) : undefined
    if (item !== undefined) items.push(item)
  }
  return items
}

async function get(
  { fetch }: SourceNeeds,
  { config, known, isConfigured: isOwn, spend, signal }: SourceRequest,
  address: string,
  accept: string,
  gapMs = config.seconds_between_requests * 1000,
): Promise<Fetched | NotFetched | undefined> {
  if (!spend()) return undefined
  const headers = {
    accept,
    ...(known.etag === null ? {} : { "if-none-match": known.etag }),
    ...(known.lastModified === null ? {} : { "if-modified-since": known.lastModified }),
  }
  const request: SafeRequest = {
    headers,
    limits: { gapMs },
    privateHosts: isOwn ? config.allow_private_hosts : [],
  }
  return fetch(address, signal === undefined ? request : { ...request, signal })
}

/** The validators of a response, if they are short and safe to send back as headers. */
function validatorsOf({ headers }: Fetched): Validators {
  const kept = (name: string) => {
    const value = headers.get(name)
    return value !== undefined && /^[\x20-\x7e]{1,200}$/.test(value) ? value : null
  }
  return { etag: kept("etag"), lastModified: kept("last-modified") }
}

function failure({ message, status, retryAt }: NotFetched): SourceOutcome {
  return { outcome: "failed", reason: message, retryAt, isGone: status === 404 || status === 410 }
}

function textOf({ body }: Fetched): string {
  return new TextDecoder().decode(body)
}
