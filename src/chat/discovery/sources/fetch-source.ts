import type { Clock } from "../../../base/clock.ts"
import type { Fetched, NotFetched } from "../../../base/net/safe-fetch/outcome.ts"
import type { SafeFetch, SafeRequest } from "../../../base/net/safe-fetch/safe-fetch.ts"
import { count } from "../../../base/text/text.ts"
import type { FeedItem } from "../items/item.ts"
import type { Reader } from "../reading/reader.ts"
import { readHackerNewsItem, readHackerNewsList, readSubreddit } from "./read-json.ts"
import type { DiscoveryConfig, Source } from "./source.ts"

/** Where the families answer. Tests hand in servers of their own. */
interface Endpoints {
  reddit: string
  youtube: string
  hackerNews: string
}

const usualEndpoints: Endpoints = {
  reddit: "https://www.reddit.com",
  youtube: "https://www.youtube.com",
  hackerNews: "https://hacker-news.firebaseio.com",
}

/** What a server said of what it sent, to be asked next time whether it changed. */
export interface Validators {
  etag: string | null
  lastModified: string | null
}

export type SourceOutcome =
  | { outcome: "items"; title: string; items: FeedItem[]; validators: Validators }
  | { outcome: "unchanged" }
  /** No request was left for it. */
  | { outcome: "skipped" }
  /** `isGone`: the server says that there is no such thing. */
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
  /** Whether the person chose it themselves; only then it may be in their own network. */
  isOwn: boolean
  /** Takes one request from what is left of the round; false if none is left. */
  spend(): boolean
  signal?: AbortSignal | undefined
}

/** Reads one source. It never throws. */
export async function fetchSource(needs: SourceNeeds, request: SourceRequest): Promise<SourceOutcome> {
  const { reddit, youtube } = needs.endpoints ?? usualEndpoints
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

const outOfBudget: SourceOutcome = { outcome: "skipped" }

async function fetchFeed(
  needs: SourceNeeds,
  request: SourceRequest,
  address: string,
): Promise<SourceOutcome> {
  const came = await get(
    needs,
    request,
    address,
    "application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5",
  )
  if (came === undefined) return outOfBudget
  if (!came.ok) return failure(came)
  if (came.status === 304) return { outcome: "unchanged" }
  const { source_fetch_limit: most } = request.config
  const contentType = came.headers.get("content-type")
  const feed = await needs.reader.feed({
    body: came.body,
    contentType,
    url: came.url,
    most,
    now: needs.clock.now(),
  })
  if ("problem" in feed)
    return { outcome: "failed", reason: `it is no feed that can be read (${feed.problem})`, isGone: false }
  return { outcome: "items", title: feed.title, items: feed.items, validators: validatorsOf(came) }
}

/** Its JSON tells what is adult and how liked it is; where Reddit refuses that, its feed has at least the entries. */
async function fetchSubreddit(
  needs: SourceNeeds,
  request: SourceRequest,
  address: string,
): Promise<SourceOutcome> {
  const { source_fetch_limit: most } = request.config
  const came = await get(
    needs,
    request,
    `${address}/hot.json?limit=${most + 5}&raw_json=1`,
    "application/json",
  )
  if (came === undefined) return outOfBudget
  const items = came.ok && came.status !== 304 ? readSubreddit(textOf(came), most) : undefined
  if (came.ok && came.status === 304) return { outcome: "unchanged" }
  if (came.ok && items !== undefined)
    return { outcome: "items", title: `r/${request.source.value}`, items, validators: validatorsOf(came) }
  const isRefused = came.ok || came.status === 401 || came.status === 403
  return isRefused ? fetchFeed(needs, request, `${address}/hot.rss?limit=${most + 5}`) : failure(came)
}

/** A list of numbers, then each story by itself. */
async function fetchHackerNews(needs: SourceNeeds, request: SourceRequest): Promise<SourceOutcome> {
  const base = `${(needs.endpoints ?? usualEndpoints).hackerNews}/v0`
  const list = await get(needs, request, `${base}/topstories.json`, "application/json")
  if (list === undefined) return outOfBudget
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

/** The stories of a list, as many as there are requests for. */
async function fetchStories(
  needs: SourceNeeds,
  request: SourceRequest,
  base: string,
  numbers: readonly number[],
): Promise<FeedItem[]> {
  const items: FeedItem[] = []
  const each = { ...request, known: { etag: null, lastModified: null } }
  // It is made to be asked for each story, so no long pause is needed between two.
  const gapMs = Math.min(100, request.config.seconds_between_requests * 1000)
  for (const number of numbers) {
    const came = await get(needs, each, `${base}/item/${number}.json`, "application/json", gapMs)
    if (came === undefined || (!came.ok && (came.why === "busy" || came.why === "stopped"))) break
    const item = came.ok ? readHackerNewsItem(textOf(came)) : undefined
    if (item !== undefined) items.push(item)
  }
  return items
}

async function get(
  { fetch }: SourceNeeds,
  { config, known, isOwn, spend, signal }: SourceRequest,
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

/** What a server may have kept for it in later requests: short, and without anything that ends a header. */
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
