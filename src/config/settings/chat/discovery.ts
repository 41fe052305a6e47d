import { z } from "zod"
import { isWebUrl, key, table } from "../../key.ts"

const family = (isOn: boolean, what: string) =>
  key(z.boolean().default(isOn), { help: `Whether ${what} are read.` })
const few = <T extends z.ZodType<string>>(one: T) => z.array(one).max(50).default([])

const privateHost = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

const search = table({
  provider: key(z.enum(["none", "searxng", "brave", "tavily"]).default("none"), {
    help: "Who answers web_search. searxng is a server of your own or one you know; brave and tavily want a key, in BRAVE_SEARCH_API_KEY or TAVILY_API_KEY. none searches nowhere.",
  }),
  url: key(z.string().refine(isWebUrl).default(""), {
    help: "Where your SearXNG answers, such as https://searx.example.org; its settings must allow the format json. Also the address of a server that answers like Brave or Tavily; empty means theirs. One in your own network must be named in chat.initiative.discovery.allow_private_hosts too.",
    expects: "empty or the address of a server without a name or password in it",
  }),
  max_results: key(z.int().min(1).max(20).default(6), {
    help: "How many results a search hands to the model.",
  }),
})

/** What it reads outside to have something to talk about, and how much of it. */
export const discovery = table({
  rss_feeds: key(few(z.string().trim().min(1).max(2000).refine(isWebUrl)), {
    help: "Feeds (RSS, Atom or JSON Feed) that it reads.",
    expects: "a list of at most 50 addresses of feeds, without a name or password in them",
  }),
  reddit_subreddits: key(
    few(
      z
        .string()
        .trim()
        .regex(/^(?:\/?r\/)?[A-Za-z0-9][A-Za-z0-9_]{1,20}$/),
    ),
    {
      help: "Subreddits that it reads.",
      expects: 'a list of at most 50 names such as "gardening"',
    },
  ),
  youtube_channel_ids: key(
    few(
      z
        .string()
        .trim()
        .regex(/^UC[\w-]{22}$/),
    ),
    {
      help: "YouTube channels that it reads, by their ids: UC and 22 characters, as the address of a channel has them.",
      expects: "a list of at most 50 channel ids, each UC and 22 characters",
    },
  ),
  x_handles: key(
    few(
      z
        .string()
        .trim()
        .regex(/^@?\w{1,15}$/),
    ),
    {
      help: "Accounts of X that it reads, through chat.initiative.discovery.x_bridge_url.",
      expects: 'a list of at most 50 names such as "@nasa"',
    },
  ),
  x_bridge_url: key(z.string().refine(isWebUrl).default(""), {
    help: "A server that offers accounts of X as feeds at /NAME/rss, as Nitter does. Empty reads nothing of X.",
    expects: "empty or the address of a server without a name or password in it",
  }),
  freshness_hours: key(z.int().min(1).max(720).default(96), {
    help: "How old something may be to be talked about.",
  }),
  dedupe_hours: key(z.int().min(1).max(2160).default(168), {
    help: "How long a link is not brought up again after it, or somebody else, posted it in the community.",
  }),
  source_fetch_limit: key(z.int().min(1).max(50).default(10), {
    help: "How many entries of a source are taken at a time, the newest first.",
  }),
  max_candidates_for_prompt: key(z.int().min(1).max(20).default(6), {
    help: "How many entries the model is shown when it thinks about something to say.",
  }),
  randomness: key(z.int().min(0).max(100).default(55), {
    help: "How much chance has a say in which entries are shown. 0 always shows the best; raise it for variety.",
  }),
  allow_nsfw: key(z.boolean().default(false), {
    help: "Whether entries that their source marks as adult may be shown.",
  }),
  allow_self_curation: key(z.boolean().default(true), {
    help: "Whether it may add sources for a community and remove those it added. It never changes your own lists; each change is in the journal and can be taken back.",
  }),
  max_sources_per_type: key(z.int().min(1).max(50).default(10), {
    help: "How many sources of one type a community may have for it to add another, yours included.",
  }),
  max_additions_per_day: key(z.int().min(0).max(50).default(3), {
    help: "How many sources it may add for one community in 24 hours.",
  }),
  refresh_minutes: key(z.number().min(5).max(1440).default(30), {
    help: "How long after reading a source it is read again. One that fails is read less and less often, at least once a day.",
  }),
  fetches_per_round: key(z.int().min(1).max(500).default(40), {
    help: "How many requests one round of reading may make. Sources that did not get their turn come first in the next.",
  }),
  seconds_between_requests: key(z.number().min(0).max(60).default(2), {
    help: "How long to wait between two requests to one host.",
  }),
  allow_private_hosts: key(few(z.string().regex(privateHost)), {
    help: "Hosts of your own network that your feeds, your bridge for X and your search server may be on, each HOST or HOST:PORT. Pages that the model asks for, sources it adds, and redirects never lead there.",
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
