import { z } from "zod"
import type { FetchOutcome } from "../../../base/net/safe-fetch/outcome.ts"
import type { SafeFetch, SafeRequest } from "../../../base/net/safe-fetch/safe-fetch.ts"
import { isSafeForKeys } from "../../../base/net/web-address.ts"
import { tryParseJson } from "../../../base/text/json.ts"
import type { Environment } from "../../../config/environment.ts"
import { plainText } from "../items/plain-text.ts"
import type { DiscoveryConfig } from "../sources/source.ts"

/** The search providers that need a key. */
export type SearchKeyName = "brave" | "tavily"

/** The environment variables of the keys, as other tools name them. */
const variables: Record<SearchKeyName, string> = {
  brave: "BRAVE_SEARCH_API_KEY",
  tavily: "TAVILY_API_KEY",
}

export function findSearchKey(
  env: Pick<Environment, "variable">,
  provider: SearchKeyName,
): string | undefined {
  return env.variable(variables[provider])
}

/** One result of a search. All of it is untrusted. */
export interface SearchResult {
  title: string
  link: string
  excerpt: string
}

interface SearchNeeds {
  fetch: SafeFetch
  keyFor(provider: SearchKeyName): string | undefined
}

/** The address of the search provider; undefined if the user configured none. */
export function searchAddress({ search: { provider, url } }: DiscoveryConfig): string | undefined {
  if (url !== "") return provider === "none" ? undefined : url
  return provider === "none" || provider === "searxng" ? undefined : defaultAddress[provider]
}

const defaultAddress: Record<SearchKeyName, string> = {
  brave: "https://api.search.brave.com",
  tavily: "https://api.tavily.com",
}

/** Searches the web with the configured provider. */
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
  const request = provider === "searxng" ? searxng(base, query) : keyed(needs, provider, base, query, most)
  if ("problem" in request) return request
  const response = await needs.fetch(request.address, {
    ...request.options,
    // The query and the key go only to the configured address.
    limits: { mostRedirects: 0, mostBytes: 2_000_000, gapMs: config.seconds_between_requests * 1000 },
    privateHosts: config.allow_private_hosts,
    ...(signal === undefined ? {} : { signal }),
  })
  return resultsIn(response, most)
}

interface SearchRequest {
  address: string
  options: SafeRequest
}

function searxng(base: string, query: string): SearchRequest {
  const parameters = new URLSearchParams({ q: query, format: "json" })
  return { address: `${base}/search?${parameters}`, options: { headers: { accept: "application/json" } } }
}

function keyed(
  { keyFor }: SearchNeeds,
  provider: SearchKeyName,
  base: string,
  query: string,
  most: number,
): SearchRequest | { problem: string } {
  const key = keyFor(provider)
  if (key === undefined) return { problem: `There is no key for searching with ${provider}.` }
  if (!isSafeForKeys(base))
    return { problem: "chat.initiative.discovery.search.url must use https, because a key is sent there." }
  const headers = { accept: "application/json" }
  if (provider === "brave") {
    const parameters = new URLSearchParams({ q: query, count: String(most) })
    const options = { headers, secretHeaders: { "x-subscription-token": key } }
    return { address: `${base}/res/v1/web/search?${parameters}`, options }
  }
  return {
    address: `${base}/search`,
    options: {
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

function resultsIn(response: FetchOutcome, most: number): SearchResult[] | { problem: string } {
  if (!response.ok) return { problem: `The search failed: ${response.message}.` }
  const parsed = answer.safeParse(tryParseJson(new TextDecoder().decode(response.body)))
  const { results, web, type } = parsed.data ?? {}
  // Brave omits the web part if it found nothing.
  if (results === undefined && web === undefined && type !== "search")
    return { problem: "The answer to the search cannot be read; SearXNG must allow the format json." }
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
