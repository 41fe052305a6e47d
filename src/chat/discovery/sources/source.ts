import type { z } from "zod"
import { problemWithAddress } from "../../../base/net/web-address.ts"
import type { discovery } from "../../../config/settings/chat/discovery.ts"

export type DiscoveryConfig = z.infer<typeof discovery>

/** The kinds of sources there are. */
export const families = ["rss", "reddit", "youtube", "hacker_news", "x"] as const
export type Family = (typeof families)[number]

export interface Source {
  family: Family
  /** The normalised name within the family: an address, a subreddit, a channel id, an account. */
  value: string
}

/** The key of a source in the database. */
export function sourceKey({ family, value }: Source): string {
  return `${family}:${value}`
}

/** Parses a source, or says what is wrong with it. */
export function readSource(family: Family, text: string): Source | { problem: string } {
  const value = values[family](text.trim())
  return value === undefined ? { problem: `That is not ${expected[family]}.` } : { family, value }
}

const expected: Record<Family, string> = {
  rss: "the http or https address of a feed",
  reddit: "the name of a subreddit, such as gardening",
  youtube: "the id of a YouTube channel: UC and 22 characters",
  hacker_news: "a list of Hacker News; the only one is top",
  x: "the name of an account: at most 15 letters, digits and underscores",
}

const values: Record<Family, (given: string) => string | undefined> = {
  rss(given) {
    const url = given.length > 2000 || problemWithAddress(given) !== undefined ? null : URL.parse(given)
    if (url === null) return undefined
    url.hash = ""
    return url.href
  },
  reddit: (given) => /(?:^|\/r\/|^r\/)([a-z0-9]\w{1,20})\/?$/i.exec(given)?.[1]?.toLowerCase(),
  youtube: (given) => /(?:^|\/channel\/)(UC[\w-]{22})\/?$/.exec(given)?.[1],
  hacker_news: (given) => (/^(?:top)?$/i.test(given) ? "top" : undefined),
  x: (given) => /(?:^@?|\.com\/)(\w{1,15})\/?$/.exec(given)?.[1]?.toLowerCase(),
}

/** Whether a family is enabled and can be read. */
export function isEnabled(config: DiscoveryConfig, family: Family): boolean {
  return config.sources[family] && (family !== "x" || config.x_bridge_url !== "")
}

/** The enabled sources of the configuration, each once. */
export function configuredSources(config: DiscoveryConfig): Source[] {
  const given: Record<Family, readonly string[]> = {
    rss: config.rss_feeds,
    reddit: config.reddit_subreddits,
    youtube: config.youtube_channel_ids,
    hacker_news: ["top"],
    x: config.x_handles,
  }
  const found = families
    .filter((family) => isEnabled(config, family))
    .flatMap((family) => given[family].map((one) => readSource(family, one)))
    .flatMap((source) => ("problem" in source ? [] : source))
  return [...new Map(found.map((source) => [sourceKey(source), source])).values()]
}
