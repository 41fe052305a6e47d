import { z } from "zod"
import { isSafeForKeys } from "../../../base/net/web-address.ts"
import type { Random } from "../../../base/random.ts"
import { fileTypeOf } from "./file-type.ts"
import {
  failed,
  failedBy,
  jsonOf,
  limitsFor,
  type MediaProvider,
  type ProviderNeeds,
  type ProviderOutcome,
} from "./provider.ts"

/** A GIF that was found: its page, and its files, the best first. */
interface FoundGif {
  link: string | undefined
  files: { url: string; size: number }[]
}

/** A GIF provider: its query, and how its answer is parsed. */
interface GifProvider {
  defaultUrl: string
  query(needs: ProviderNeeds, query: string, key: string): string
  read(body: unknown, filter: Filter): FoundGif[] | undefined
}

type Filter = ProviderNeeds["settings"]["gif_filter"]

const mostFound = 20
/** One of the best few is chosen at random, so that the same query gives different GIFs. */
const bestFew = 8
/** At most this many files are tried. */
const maxTried = 3
/** Providers accept only short queries. */
const longestQuery = 50

/** Finds a GIF and fetches it. */
export const findGif: MediaProvider = async (needs, { prompt }, signal) => {
  const { gif_provider: provider, gif_url, gif_filter } = needs.settings
  if (provider === "none") return failed("chat.initiative.media.gif_provider is none.", false)
  const api = gifProviders[provider]
  const base = (gif_url || api.defaultUrl).replace(/\/$/, "")
  const key = needs.keyFor(provider)
  if (key === undefined) return failed(`There is no key for ${provider}.`, false)
  if (!isSafeForKeys(base))
    return failed("chat.initiative.media.gif_url must use https, because a key is sent there.", false)
  const query = [...prompt].slice(0, longestQuery).join("").trim()
  const response = await needs.fetch(`${base}${api.query(needs, query, key)}`, {
    headers: { accept: "application/json" },
    limits: {
      ...limitsFor(needs.settings),
      mostBytes: 2_000_000,
      mostUnpackedBytes: 4_000_000,
      mostRedirects: 0,
    },
    privateHosts: gif_url === "" ? [] : [new URL(base).host],
    signal,
  })
  if (!response.ok) return failedBy(response, "No GIF was found")
  const found = api.read(jsonOf(response.body), gif_filter)
  if (found === undefined) return failed(`${provider} returned an answer that cannot be read.`, true)
  const usable = found.filter(({ files }) => files.length > 0)
  if (usable.length === 0) return failed("No GIF matches this.", true)
  return firstThatComes(needs, shuffled(needs.random, usable.slice(0, bestFew)), signal)
}

async function firstThatComes(
  needs: ProviderNeeds,
  found: readonly FoundGif[],
  signal: AbortSignal,
): Promise<ProviderOutcome> {
  const most = needs.settings.max_file_mb * 1_000_000
  let reason = "All GIFs are larger than chat.initiative.media.max_file_mb."
  const fitting = found.flatMap(({ link, files }) => {
    const file = files.find(({ size }) => size <= most)
    return file ? [{ link, file }] : []
  })
  for (const { link, file } of fitting.slice(0, maxTried)) {
    const response = await fetchGif(needs, file.url, signal)
    if ("bytes" in response) {
      return { outcome: "made", files: [{ name: "animation.gif", ...response, ...(link ? { link } : {}) }] }
    }
    reason = response.reason
    if (signal.aborted) break
  }
  return failed(reason, true)
}

async function fetchGif(
  { fetch, settings }: ProviderNeeds,
  url: string,
  signal: AbortSignal,
): Promise<{ type: string; bytes: Uint8Array } | { reason: string }> {
  const response = await fetch(url, { limits: { ...limitsFor(settings), mostRedirects: 2 }, signal })
  if (!response.ok) return { reason: `The GIF could not be fetched: ${response.message}.` }
  const type = fileTypeOf(response.body, "image")
  if (type?.extension !== "gif") return { reason: "The file that was found is not a GIF." }
  return { type: type.type, bytes: response.body }
}

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

const number = z.coerce.number().catch(Number.POSITIVE_INFINITY)
const file = z.object({ url: z.string().max(2048), size: number })

/** The rating filters of GIPHY and Tenor, and the GIPHY ratings that each accepts. */
const ratings: Record<Filter, { giphy: string; tenor: string; enough: readonly string[] }> = {
  high: { giphy: "g", tenor: "high", enough: ["y", "g"] },
  medium: { giphy: "pg", tenor: "medium", enough: ["y", "g", "pg"] },
  low: { giphy: "pg-13", tenor: "low", enough: ["y", "g", "pg", "pg-13"] },
}

const giphyItem = z.object({
  url: z.string().max(2048).catch(""),
  rating: z.string().catch(""),
  images: z.record(z.string(), z.unknown()).catch({}),
})

const giphy: GifProvider = {
  defaultUrl: "https://api.giphy.com",
  query({ settings }, q, api_key) {
    const rating = ratings[settings.gif_filter].giphy
    return `/v1/gifs/search?${new URLSearchParams({ api_key, q, limit: String(mostFound), rating })}`
  },
  read(body, filter) {
    const items = z.object({ data: z.array(z.unknown()) }).safeParse(body).data?.data
    return (
      items
        ?.flatMap((one) => giphyItem.safeParse(one).data ?? [])
        // The ratings are checked again, in case the server does not filter.
        .filter(({ rating }) => ratings[filter].enough.includes(rating.toLowerCase()))
        .map(({ url, images }) => ({
          link: pageOf(url),
          files: filesIn(images, [
            "original",
            "downsized_medium",
            "downsized",
            "fixed_height",
            "fixed_height_small",
          ]),
        }))
    )
  },
}

const tenorItem = z.object({
  itemurl: z.string().max(2048).catch(""),
  url: z.string().max(2048).catch(""),
  media_formats: z.record(z.string(), z.unknown()).catch({}),
})

const tenor: GifProvider = {
  defaultUrl: "https://tenor.googleapis.com",
  query({ settings }, q, key) {
    const contentfilter = ratings[settings.gif_filter].tenor
    const limit = String(mostFound)
    return `/v2/search?${new URLSearchParams({ key, q, limit, contentfilter, media_filter: "gif,mediumgif,tinygif" })}`
  },
  read(body) {
    const items = z.object({ results: z.array(z.unknown()) }).safeParse(body).data?.results
    return items
      ?.flatMap((one) => tenorItem.safeParse(one).data ?? [])
      .map(({ itemurl, url, media_formats }) => ({
        link: pageOf(itemurl || url),
        files: filesIn(media_formats, ["gif", "mediumgif", "tinygif"]),
      }))
  },
}

const gifProviders = { giphy, tenor }

function filesIn(formats: Record<string, unknown>, names: readonly string[]): FoundGif["files"] {
  return names.flatMap((name) => file.safeParse(formats[name]).data ?? [])
}

function pageOf(url: string): string | undefined {
  const parsed = URL.parse(url)
  return parsed?.protocol === "https:" && parsed.username === "" ? parsed.href : undefined
}
