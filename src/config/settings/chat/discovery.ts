import { z } from "zod"
import { isWebUrl, key, serverAddress, table } from "../../key.ts"

const family = (isOn: boolean, what: string) =>
  key(z.boolean().default(isOn), { help: `Whether to read ${what}.` })
const few = <T extends z.ZodType<string>>(one: T) => z.array(one).max(50).default([])
const names = (pattern: RegExp) => few(z.string().trim().regex(pattern))

const privateHost = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

const search = table({
  provider: key(z.enum(["none", "searxng", "brave", "tavily"]).default("none"), {
    help: "The provider of web_search. searxng is your own server or one you trust; brave and tavily need a key, in BRAVE_SEARCH_API_KEY or TAVILY_API_KEY. none turns search off.",
  }),
  url: serverAddress(
    "The address of your SearXNG server, such as https://searx.example.org; its settings must allow the format json. Or the address of a server with an API like Brave's or Tavily's; empty means theirs. A server in your own network must also be listed in chat.initiative.discovery.allow_private_hosts.",
  ),
  max_results: key(z.int().min(1).max(20).default(6), {
    help: "The number of results that a search returns to the model.",
  }),
})

/** The section `[chat.initiative.discovery]`: what the bot reads for topics to talk about. */
export const discovery = table({
  rss_feeds: key(few(z.string().trim().min(1).max(2000).refine(isWebUrl)), {
    help: "Feeds (RSS, Atom or JSON Feed) to read.",
    expects: "a list of at most 50 addresses of feeds, without a name or password in them",
  }),
  reddit_subreddits: key(names(/^(?:\/?r\/)?[A-Za-z0-9][A-Za-z0-9_]{1,20}$/), {
    help: "Subreddits to read, with or without r/.",
    expects: 'a list of at most 50 names such as "gardening"',
  }),
  youtube_channel_ids: key(names(/^UC[\w-]{22}$/), {
    help: "YouTube channels to read, by id: UC and 22 characters, as in the address of a channel.",
    expects: "a list of at most 50 channel ids, each UC and 22 characters",
  }),
  x_handles: key(names(/^@?\w{1,15}$/), {
    help: "Accounts on X to read, through chat.initiative.discovery.x_bridge_url.",
    expects: 'a list of at most 50 names such as "@nasa"',
  }),
  x_bridge_url: serverAddress(
    "A server that offers accounts on X as feeds at /NAME/rss, as Nitter does. Empty reads nothing from X.",
  ),
  freshness_hours: key(z.int().min(1).max(720).default(96), {
    help: "The maximum age, in hours, of an entry to talk about.",
  }),
  dedupe_hours: key(z.int().min(1).max(2160).default(168), {
    help: "For how many hours a link is not posted again after the bot, or somebody else, posted it in the community.",
  }),
  source_fetch_limit: key(z.int().min(1).max(50).default(10), {
    help: "How many entries of a source are read at a time, the newest first.",
  }),
  max_candidates_for_prompt: key(z.int().min(1).max(20).default(6), {
    help: "How many entries the model is shown when it considers what to say.",
  }),
  randomness: key(z.int().min(0).max(100).default(55), {
    help: "How random the choice of entries is. 0 always shows the best; raise it for variety.",
  }),
  allow_nsfw: key(z.boolean().default(false), {
    help: "Whether entries that their source marks as adult may be shown.",
  }),
  allow_self_curation: key(z.boolean().default(true), {
    help: "Whether the bot may add sources for a community and remove those it added. It never changes your own lists. Every change is in the journal and can be undone.",
  }),
  max_sources_per_type: key(z.int().min(1).max(50).default(10), {
    help: "The maximum number of sources of one type for a community, yours included, up to which the bot may add another.",
  }),
  max_additions_per_day: key(z.int().min(0).max(50).default(3), {
    help: "How many sources the bot may add for one community in 24 hours.",
  }),
  refresh_minutes: key(z.number().min(5).max(1440).default(30), {
    help: "How many minutes after reading a source it is read again. A failing source is read less and less often, but at least once a day.",
  }),
  fetches_per_round: key(z.int().min(1).max(500).default(40), {
    help: "The maximum number of requests in one round. Sources that were left out come first in the next round.",
  }),
  seconds_between_requests: key(z.number().min(0).max(60).default(2), {
    help: "The pause between two requests to one host, in seconds.",
  }),
  allow_private_hosts: key(few(z.string().regex(privateHost)), {
    help: "Hosts in your own network, as HOST or HOST:PORT, that your feeds, your bridge for X and your search server may use. Pages that the model requests, sources it adds, and redirects never reach them.",
    expects: 'a list of at most 50 hosts such as "searx.lan" or "127.0.0.1:8888"',
  }),
  sources: table({
    rss: family(true, "the feeds of chat.initiative.discovery.rss_feeds"),
    reddit: family(true, "the subreddits of chat.initiative.discovery.reddit_subreddits"),
    youtube: family(true, "the channels of chat.initiative.discovery.youtube_channel_ids"),
    hacker_news: family(true, "the top stories of Hacker News"),
    x: family(false, "the accounts of chat.initiative.discovery.x_handles"),
  }),
  search,
})
