import { systemClock } from "../../../src/base/clock.ts"
import { createSafeFetch, type SafeFetch } from "../../../src/base/net/safe-fetch/safe-fetch.ts"
import { findCandidates } from "../../../src/chat/discovery/candidates.ts"
import { rank } from "../../../src/chat/discovery/choose/rank.ts"
import { addSource } from "../../../src/chat/discovery/curate.ts"
import { createReader } from "../../../src/chat/discovery/reading/reader.ts"
import { readSources } from "../../../src/chat/discovery/round.ts"
import { recordLinks, type StoredItem, storedItems } from "../../../src/chat/discovery/store.ts"
import { searchWeb } from "../../../src/chat/discovery/web/search.ts"
import { rss, servePaths, text } from "../../discovery/world.ts"
import { createManualClock, withRealTimers } from "../../manual-clock.ts"
import { createSeededRandom } from "../../seeded-random.ts"
import { sqliteDatabase } from "../../setup/databases.ts"
import { openInitiateWorld, thinks } from "../../worlds/initiate-world.ts"
import { configWith, type Sections, type Turn } from "./turn.ts"

const minute = 60_000
const hour = 60 * minute
const channel = `UC${"a".repeat(22)}`
const entries = Array.from({ length: 20 }, (_, at) => ({
  title: `Entry ${at}`,
  link: `https://e.example/${at}`,
}))
const none = { rss: false, reddit: false, youtube: false, hacker_news: false, x: false }

/** Something to read for every family; all of them are switched off. */
const named = {
  ...{ rss_feeds: ["https://feeds.example/a"], reddit_subreddits: ["tides"], youtube_channel_ids: [channel] },
  ...{ x_handles: ["nasa"], x_bridge_url: "https://bridge.example", seconds_between_requests: 0 },
  ...{ sources: none, randomness: 0 },
}

/** Sources over a web that gives the same feed at each address; keeps who was asked. */
async function openWeb(given: Sections, base: Record<string, unknown> = {}) {
  const { discovery } = configWith({ discovery: { ...named, ...base } }, given).chat.initiative
  const manual = createManualClock()
  const clock = withRealTimers(manual)
  const db = await sqliteDatabase().open({ clock })
  const asked: { address: string; gapMs: number | undefined }[] = []
  const fetch: SafeFetch = async (address, request) => {
    asked.push({ address, gapMs: request?.limits?.gapMs })
    const body = Buffer.from(address.endsWith(".json") ? "[]" : rss(entries))
    return { ok: true, status: 200, url: address, headers: new Map(), body }
  }
  // The thread that reads is given up by the machine's clock.
  const reader = createReader({ clock: systemClock })
  const needs = { db, clock, fetch, reader, random: createSeededRandom(1) }
  const hosts = () => [...new Set(asked.map(({ address }) => new URL(address).host))]
  return { discovery, manual, db, asked, needs, hosts, read: () => readSources(needs, discovery) }
}

/** Whose servers one round asks, with one family switched on. */
const hostsAsked = (family: keyof typeof none) => async (given: Sections) => {
  const { read, hosts } = await openWeb(given, { sources: { ...none, [family]: true } })
  await read()
  return hosts()
}
/** The same, where the switch itself is turned. */
async function hostsOf(given: Sections) {
  const { read, hosts } = await openWeb(given)
  await read()
  return hosts()
}

const feedsOn = { sources: { ...none, rss: true } }

async function storedEntries(given: Sections): Promise<number> {
  const { read, db } = await openWeb(given, feedsOn)
  await read()
  return (await storedItems(db, ["rss:https://feeds.example/a"], 0)).length
}

async function readsInAnHour(given: Sections): Promise<number> {
  const { read, asked, manual } = await openWeb(given, feedsOn)
  await read()
  await manual.advance(59 * minute)
  await read()
  return asked.length
}

async function readInARound(given: Sections): Promise<number> {
  const rss_feeds = ["a", "b", "c"].map((name) => `https://${name}.example/feed`)
  const { read, asked } = await openWeb(given, { ...feedsOn, rss_feeds })
  await read()
  return asked.length
}

async function pauseMs(given: Sections): Promise<unknown> {
  const { read, asked } = await openWeb(given, feedsOn)
  await read()
  return asked[0]?.gapMs
}

/** Whether a feed on this machine is read, through the fetch that the program has. */
async function readsOwnHost(given: Sections): Promise<boolean> {
  const { base, hits } = await servePaths({ "/feed": text(rss(entries)) })
  const hosts = given.discovery?.allow_private_hosts as string[]
  const named = { discovery: { allow_private_hosts: hosts.map(() => new URL(base).host) } }
  const { discovery, needs } = await openWeb(named, { ...feedsOn, rss_feeds: [`${base}/feed`] })
  await readSources({ ...needs, fetch: createSafeFetch({ clock: systemClock }) }, discovery)
  return hits("/feed") > 0
}

const now = Date.UTC(2026, 5, 1)
const item = (name: string, given: Partial<StoredItem> = {}): StoredItem => ({
  ...{ source: "rss:a", url: `https://a.example/${name}`, link: `https://a.example/${name}`, summary: "" },
  ...{ title: `${name} ${name}ing ${name}er`, publishedAt: now - hour, firstSeenAt: now - hour },
  ...{ popularity: null, isNsfw: false, ...given },
})
const items = [
  ...[item("one"), item("two", { publishedAt: now - 2 * hour }), item("adult", { isNsfw: true })],
  item("old", { publishedAt: now - 50 * hour }),
]

/** What the model is shown of the entries, by seed of chance. */
function shown(given: Sections, seed = 1): string[] {
  const { discovery } = configWith({ discovery: { randomness: 0 } }, given).chat.initiative
  const known = { topics: new Map(), feedback: new Map(), posted: new Set<string>(), now }
  const ranked = rank(discovery, { random: createSeededRandom(seed), items, ...known })
  return ranked.map(({ url }) => url.split("/").at(-1) ?? "").sort()
}
function hasSeveralOrders(given: Sections): boolean {
  const { discovery } = configWith({}, given).chat.initiative
  const known = { topics: new Map(), feedback: new Map(), posted: new Set<string>(), now, items }
  const order = (seed: number) =>
    rank(discovery, { random: createSeededRandom(seed), ...known })
      .map(({ url }) => url)
      .join()
  return new Set([1, 2, 3, 4, 5, 6, 7, 8].map(order)).size > 1
}

/** Whether a link may be brought up again three days after somebody posted it. */
async function isBroughtUpAgain(given: Sections): Promise<boolean> {
  const { read, discovery, needs, db, manual } = await openWeb(given, {
    ...{ ...feedsOn, freshness_hours: 720, max_candidates_for_prompt: 20 },
  })
  await read()
  const links = [{ link: "https://e.example/3", by: "others" as const }]
  await recordLinks(db, { community: "c", at: manual.now(), links }, { operation: "op", actor: "test" })
  await manual.advance(72 * hour)
  const found = await findCandidates(needs, discovery, { community: "c", messages: [] })
  return found.some(({ title }) => title === "Entry 3")
}

/** How many of three feeds it may add for itself, one after the other. */
async function added(given: Sections): Promise<number> {
  const { discovery, needs } = await openWeb(given, { ...feedsOn, max_additions_per_day: 10, rss_feeds: [] })
  let count = 0
  for (const name of ["a", "b", "c"]) {
    const value = `https://${name}.example/feed`
    const came = await addSource(needs, discovery, { community: "c", family: "rss", value, reason: "moss" })
    if ("source" in came) count += 1
  }
  return count
}

/** Where a search goes and how many results it hands on; or that there is none. */
async function search(given: Sections): Promise<unknown> {
  const base = { search: { provider: "searxng", url: "https://searx.example" } }
  const { discovery } = configWith({ discovery: base }, given).chat.initiative
  const asked: string[] = []
  const results = entries.map(({ title, link }) => ({ title, url: link, content: "" }))
  const fetch: SafeFetch = async (address) => {
    asked.push(new URL(address).host)
    const body = Buffer.from(JSON.stringify({ results }))
    return { ok: true, status: 200, url: address, headers: new Map(), body }
  }
  const found = await searchWeb({ fetch, keyFor: () => "key" }, discovery, "moss")
  return "problem" in found ? "none" : `${asked} ${found.length}`
}

async function linksPosted({ discovery }: Sections): Promise<number> {
  const { server, world, pass } = await openInitiateWorld(sqliteDatabase(), { discovery: discovery ?? {} })
  server.script([thinks("post", { text: "https://a.example/1 https://b.example/2 https://c.example/3" })])
  world.say("hm")
  await world.rests()
  await pass(1)
  return world.posts[0]?.text.match(/https:/g)?.length ?? 0
}

/** Every setting of `[chat.initiative.discovery]` that is not about media, turned. */
export const discoveryTurns: readonly Turn[] = [
  ["discovery.rss_feeds", hostsAsked("rss"), [[], []], [["https://feeds.example/b"], ["feeds.example"]]],
  ["discovery.reddit_subreddits", hostsAsked("reddit"), [[], []], [["moss"], ["www.reddit.com"]]],
  ["discovery.youtube_channel_ids", hostsAsked("youtube"), [[], []], [[channel], ["www.youtube.com"]]],
  ["discovery.x_handles", hostsAsked("x"), [[], []], [["nasa"], ["bridge.example"]]],
  ["discovery.x_bridge_url", hostsAsked("x"), ["", []], ["https://other.example", ["other.example"]]],
  ["discovery.sources.rss", hostsOf, [false, []], [true, ["feeds.example"]]],
  ["discovery.sources.reddit", hostsOf, [false, []], [true, ["www.reddit.com"]]],
  ["discovery.sources.youtube", hostsOf, [false, []], [true, ["www.youtube.com"]]],
  ["discovery.sources.hacker_news", hostsOf, [false, []], [true, ["hacker-news.firebaseio.com"]]],
  ["discovery.sources.x", hostsOf, [false, []], [true, ["bridge.example"]]],
  ["discovery.source_fetch_limit", storedEntries, [3, 3], [12, 12]],
  ["discovery.refresh_minutes", readsInAnHour, [30, 2], [90, 1]],
  ["discovery.fetches_per_round", readInARound, [2, 2], [40, 3]],
  ["discovery.seconds_between_requests", pauseMs, [2, 2000], [7, 7000]],
  ["discovery.allow_private_hosts", readsOwnHost, [[], false], [["its.own"], true]],
  ["discovery.freshness_hours", (given) => shown(given), [96, ["old", "one", "two"]], [24, ["one", "two"]]],
  ["discovery.max_candidates_for_prompt", (given) => shown(given).length, [2, 2], [6, 3]],
  ["discovery.allow_nsfw", (given) => shown(given).includes("adult"), [false, false], [true, true]],
  ["discovery.randomness", hasSeveralOrders, [0, false], [100, true]],
  ["discovery.dedupe_hours", isBroughtUpAgain, [48, true], [168, false]],
  ["discovery.allow_self_curation", added, [true, 3], [false, 0]],
  ["discovery.max_sources_per_type", added, [1, 1], [10, 3]],
  ["discovery.max_additions_per_day", added, [2, 2], [10, 3]],
  ["discovery.search.provider", search, ["none", "none"], ["searxng", "searx.example 6"]],
  [
    "discovery.search.url",
    search,
    ["https://one.example", "one.example 6"],
    ["https://two.example", "two.example 6"],
  ],
  ["discovery.search.max_results", search, [2, "searx.example 2"], [9, "searx.example 9"]],
  ["discovery.max_links_per_post", linksPosted, [0, 0], [2, 2]],
]
