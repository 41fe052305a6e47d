import { z } from "zod"
import type { FetchOutcome } from "../../../base/net/safe-fetch/outcome.ts"
import type { SafeFetch, SafeRequest } from "../../../base/net/safe-fetch/safe-fetch.ts"
import { mayCarryKey } from "../../../base/net/web-address.ts"
import { jsonIn } from "../../../base/text/json.ts"
import { plainText } from "../items/plain-text.ts"
import type { DiscoveryConfig } from "../sources/source.ts"
import type { KeyedSearch } from "./search-key.ts"

/** One result of a search. All of it is others' text. */
export interface SearchResult {
  title: string
  link: string
  excerpt: string
}

interface SearchNeeds {
  fetch: SafeFetch
  /** The key for a provider, from the environment or the credentials file. */
  keyFor(provider: KeyedSearch): string | undefined
}

/** Where searches go, for the rules of safety; undefined where the person chose no provider. */
export function searchAddress({ search: { provider, url } }: DiscoveryConfig): string | undefined {
  if (url !== "") return provider === "none" ? undefined : url
  return provider === "none" || provider === "searxng" ? undefined : usualAddress[provider]
}

const usualAddress: Record<KeyedSearch, string> = {
  brave: "https://api.search.brave.com",
  tavily: "https://api.tavily.com",
}

/** Searches the web with the provider that the person chose. */
export async function searchWeb(
  needs: SearchNeeds,
  config: DiscoveryConfig,
  query: string,
  signal?: AbortSignal,
): Promise<SearchResult[] | { problem: string }> {
  const { provider, max_results: most } = config.search
  const base = searchAddress(config)?.replace(/\/$/, "")
  if (provider === "none")
    return { problem: "No search is set up: chat.initiative.discovery.search.provider is none." }
  if (base === undefined)
    return { problem: "chat.initiative.discovery.search.url does not say where SearXNG answers." }
  const wanted = provider === "searxng" ? searxng(base, query) : keyed(needs, provider, base, query, most)
  if ("problem" in wanted) return wanted
  const came = await needs.fetch(wanted.address, {
    ...wanted.request,
    // What is asked for, and the key with it, go where the person said and nowhere else.
    limits: { mostRedirects: 0, mostBytes: 2_000_000, gapMs: config.seconds_between_requests * 1000 },
    privateHosts: config.allow_private_hosts,
    ...(signal === undefined ? {} : { signal }),
  })
  return resultsIn(came, most)
}

interface Wanted {
  address: string
  request: SafeRequest
}

function searxng(base: string, query: string): Wanted {
  const parameters = new URLSearchParams({ q: query, format: "json" })
  return { address: `${base}/search?${parameters}`, request: { headers: { accept: "application/json" } } }
}

function keyed(
  { keyFor }: SearchNeeds,
  provider: KeyedSearch,
  base: string,
  query: string,
  most: number,
): Wanted | { problem: string } {
  const key = keyFor(provider)
  if (key === undefined) return { problem: `There is no key for searching with ${provider}.` }
  if (!mayCarryKey(base))
    return { problem: "chat.initiative.discovery.search.url must use https, because a key is sent there." }
  const headers = { accept: "application/json" }
  if (provider === "brave") {
    const parameters = new URLSearchParams({ q: query, count: String(most) })
    const request = { headers, secretHeaders: { "x-subscription-token": key } }
    return { address: `${base}/res/v1/web/search?${parameters}`, request }
  }
  return {
    address: `${base}/search`,
    request: {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      secretHeaders: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ query, max_results: most }),
    },
  }
}

const result = z.object({
  title: z.string().catch(""),
  url: z.string().max(2048),
  content: z.string().catch(""),
  description: z.string().catch(""),
})
const answer = z.object({
  type: z.string().optional().catch(undefined),
  results: z.array(z.unknown()).optional(),
  web: z.object({ results: z.array(z.unknown()).optional() }).optional(),
})

function resultsIn(came: FetchOutcome, most: number): SearchResult[] | { problem: string } {
  if (!came.ok) return { problem: `The search failed: ${came.message}.` }
  const parsed = answer.safeParse(jsonIn(new TextDecoder().decode(came.body)))
  const { results, web, type } = parsed.data ?? {}
  // Brave leaves the part for web pages out where it found none.
  if (results === undefined && web === undefined && type !== "search")
    return { problem: "The search gave no answer that can be read; SearXNG must allow the format json." }
  const found = results ?? web?.results
  return (found ?? [])
    .flatMap((one) => result.safeParse(one).data ?? [])
    .filter(({ url }) => /^https?:$/.test(URL.parse(url)?.protocol ?? ""))
    .slice(0, most)
    .map(({ title, url, content, description }) => ({
      title: plainText(title, 300),
      link: url,
      excerpt: plainText(content || description, 500),
    }))
}
