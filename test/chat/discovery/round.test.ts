import { expect, it } from "vitest"
import { findCandidates } from "../../../src/chat/discovery/candidates.ts"
import type { CurateNeeds } from "../../../src/chat/discovery/curate.ts"
import { linksIn } from "../../../src/chat/discovery/items/canonical-url.ts"
import { readSources } from "../../../src/chat/discovery/round.ts"
import type { DiscoveryConfig } from "../../../src/chat/discovery/sources/source.ts"
import { recordLinks, sourceStates, storedItems } from "../../../src/chat/discovery/store.ts"
import { readJournal } from "../../../src/storage/journal.ts"
import {
  discoveryConfig,
  openFetch,
  openSources,
  rss,
  servePaths,
  text,
} from "../../../testkit/discovery/world.ts"
import { createManualClock, withRealTimers } from "../../../testkit/manual-clock.ts"
import { createSeededRandom } from "../../../testkit/seeded-random.ts"
import { describeDatabases, type TestDatabase } from "../../../testkit/setup/databases.ts"

const channel = `UC${"a".repeat(22)}`
const minute = 60_000
const by = { operation: "op_test", actor: "test" }
const off = { rss: false, reddit: false, youtube: false, hacker_news: false, x: false }

async function open(store: TestDatabase, base: string) {
  const manual = createManualClock()
  const clock = withRealTimers(manual)
  const db = await store.open({ clock })
  const needs: CurateNeeds = { ...openSources(base, { clock }), db, random: createSeededRandom(1) }
  const titles = async (config: DiscoveryConfig, community = "c") =>
    (await findCandidates(needs, config, { community, messages: [] })).map(({ title }) => title)
  return { needs, db, manual, titles }
}

const story = (id: number, more = {}) =>
  text(
    JSON.stringify({
      id,
      title: `Story ${id}`,
      url: `https://s.example/${id}`,
      time: 1_767_268_000,
      score: id,
      descendants: 1,
      ...more,
    }),
  )

describeDatabases("Reading sources", (create) => {
  it("reads every family, with what each tells", async () => {
    const post = (title: string, more = {}) => ({
      data: {
        title,
        permalink: `/r/tides/${title}`,
        url: `https://p.example/${title}`,
        created_utc: 1_767_268_000,
        ups: 5,
        num_comments: 2,
        ...more,
      },
    })
    const video = `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/"><title>Videos</title><entry><id>yt:video:1</id><title>Film</title><link rel="alternate" href="https://www.youtube.com/watch?v=abcdefghijk"/><published>2026-01-01T10:00:00Z</published><media:group><media:community><media:statistics views="77"/></media:community></media:group></entry></feed>`
    const json = JSON.stringify({
      version: "https://jsonfeed.org/version/1.1",
      title: "J",
      items: [
        {
          id: "1",
          url: "https://j.example/1",
          content_text: "Only a text",
          date_published: "2026-01-01T09:00:00Z",
        },
      ],
    })
    const { base, asked } = await servePaths({
      "/rss": text(rss([{ title: "Relative &amp;amp; plain", link: "/article" }]), {
        "content-type": "text/html",
      }),
      "/json": text(json),
      "/reddit/r/tides/hot.json": text(
        JSON.stringify({
          data: {
            children: [
              post("Pinned", { stickied: true }),
              post("Adult", { over_18: true }),
              post("Post"),
              { data: 7 },
            ],
          },
        }),
      ),
      "/youtube/feeds/videos.xml": text(video),
      "/hn/v0/topstories.json": text("[3, 4, null, 5]"),
      "/hn/v0/item/3.json": story(3),
      "/hn/v0/item/4.json": story(4, { dead: true }),
      "/hn/v0/item/5.json": text("null"),
      "/bridge/nasa/rss": text(rss([{ title: "Launch", link: "https://x.com/nasa/status/1" }])),
    })
    const { needs, titles, db } = await open(await create(), base)
    const config = discoveryConfig({
      ...{
        rss_feeds: [`${base}/rss`, `${base}/json`],
        reddit_subreddits: ["r/Tides"],
        youtube_channel_ids: [channel],
      },
      ...{ x_handles: ["@NASA"], x_bridge_url: `${base}/bridge/`, max_candidates_for_prompt: 20 },
      sources: { rss: true, reddit: true, youtube: true, hacker_news: true, x: true },
    })
    expect(await readSources(needs, config)).toMatchObject({ read: 6, failed: 0, left: 0 })
    expect((await titles(config)).sort()).toEqual([
      "Film",
      "Launch",
      "Only a text",
      "Post",
      "Relative & plain",
      "Story 3",
    ])
    const [video1] = await storedItems(db, [`youtube:${channel}`], 0)
    expect(video1).toMatchObject({ popularity: 77, url: "https://youtube.com/watch?v=abcdefghijk" })
    const [article] = await storedItems(db, [`rss:${base}/rss`], 0)
    expect(article?.link).toBe(`${base}/article`)
    expect(asked.some(({ path }) => path.startsWith("/youtube/feeds/videos.xml?channel_id=UC"))).toBe(true)
    // Each switch turns its family off, and what was stored of it is not shown any more.
    for (const family of ["rss", "reddit", "youtube", "hacker_news", "x"] as const) {
      const without = { ...config, sources: { ...config.sources, [family]: false } }
      expect((await titles(without)).length, family).toBeLessThan(6)
    }
    expect(await titles({ ...config, x_bridge_url: "" })).not.toContain("Launch")
  })

  it("falls back on a subreddit's feed where its JSON is refused", async () => {
    const { base } = await servePaths({
      "/reddit/r/tides/hot.json": (_request, response) => response.writeHead(403).end(),
      "/reddit/r/tides/hot.rss": text(rss([{ title: "Post", link: "https://p.example/1" }])),
    })
    const { needs, titles } = await open(await create(), base)
    const config = discoveryConfig({ reddit_subreddits: ["tides"] })
    expect(await readSources(needs, config)).toMatchObject({ read: 1, requests: 2 })
    expect(await titles(config)).toEqual(["Post"])
  })

  it("gives all sources their turn within the requests of a round, none twice before its time", async () => {
    const paths = Array.from({ length: 12 }, (_, at) => `/feed${at}`)
    const feed = (path: string) => text(rss([{ title: path, link: `https://f.example${path}` }]))
    const { base, asked } = await servePaths(Object.fromEntries(paths.map((path) => [path, feed(path)])))
    const { needs, manual } = await open(await create(), base)
    const config = discoveryConfig({ rss_feeds: paths.map((path) => `${base}${path}`), fetches_per_round: 5 })
    const lefts: number[] = []
    for (let round = 0; round < 4; round += 1) {
      lefts.push((await readSources(needs, config)).left)
      await manual.advance(minute)
    }
    expect(lefts).toEqual([7, 2, 0, 0])
    expect(asked.map(({ path }) => path).sort()).toEqual([...paths].sort())
    await manual.advance(30 * minute)
    expect(await readSources(needs, { ...config, fetches_per_round: 100 })).toMatchObject({ read: 12 })
    expect(await readSources(needs, { ...config, refresh_minutes: 5 })).toMatchObject({ requests: 0 })
  })

  it("asks whether something changed, and keeps what it has where nothing did", async () => {
    let version = 1
    const { base, asked } = await servePaths({
      "/feed": (request, response) => {
        const etag = `"v${version}"`
        if (request.headers["if-none-match"] === etag) return response.writeHead(304).end()
        const body = rss([{ title: `News ${version}`, link: `https://n.example/${version}` }])
        return response.writeHead(200, { etag, "last-modified": "Thu, 01 Jan 2026 00:00:00 GMT" }).end(body)
      },
    })
    const { needs, titles, manual } = await open(await create(), base)
    const config = discoveryConfig({ rss_feeds: [`${base}/feed`] })
    expect(await readSources(needs, config)).toMatchObject({ read: 1 })
    await manual.advance(30 * minute)
    expect(await readSources(needs, config)).toMatchObject({ unchanged: 1 })
    expect(asked[1]?.headers).toMatchObject({
      "if-none-match": '"v1"',
      "if-modified-since": "Thu, 01 Jan 2026 00:00:00 GMT",
    })
    expect(await titles(config)).toEqual(["News 1"])
    version = 2
    await manual.advance(30 * minute)
    expect(await readSources(needs, config)).toMatchObject({ read: 1 })
    expect((await titles(config)).sort()).toEqual(["News 1", "News 2"])
  })

  it("reads what fails less and less often, tells why, and forgets it when it works again", async () => {
    let works = false
    const { base } = await servePaths({
      "/feed": (_request, response) =>
        works
          ? response.end(rss([{ title: "Back", link: "https://b.example/" }]))
          : response.end("<html>no feed</html>"),
    })
    const { needs, db, manual } = await open(await create(), base)
    const config = discoveryConfig({ rss_feeds: [`${base}/feed`] })
    const pauses: number[] = []
    for (let round = 0; round < 7; round += 1) {
      await readSources(needs, config)
      const [state] = await sourceStates(db)
      expect(state?.error).toContain("not a feed")
      const pause = Number(state?.nextAt) - manual.now()
      pauses.push(pause / minute)
      await manual.advance(pause)
    }
    expect(pauses).toEqual([60, 120, 240, 480, 960, 1440, 1440])
    const entries = await readJournal(db, { kind: "source.failed" })
    expect(entries).toHaveLength(7)
    works = true
    expect(await readSources(needs, config)).toMatchObject({ read: 1 })
    expect(await sourceStates(db)).toMatchObject([{ failures: 0, error: null }])
  })

  it("waits as long as a server asks, and a day where there is nothing any more", async () => {
    const { base } = await servePaths({
      "/busy": (_request, response) => response.writeHead(429, { "retry-after": "7200" }).end(),
    })
    const gone = await servePaths({})
    const { needs, db, manual } = await open(await create(), base)
    const feeds = [`${base}/busy`, `${gone.base}/gone`]
    await readSources(needs, discoveryConfig({ rss_feeds: feeds }))
    const states = await sourceStates(db)
    const waits = feeds.map(
      (feed) => Number(states.find(({ source }) => source === `rss:${feed}`)?.nextAt) - manual.now(),
    )
    expect(waits.map((wait) => wait / minute)).toEqual([120, 1440])
  })

  it("is not lost when the clock was wrong", async () => {
    const { base, hits } = await servePaths({
      "/feed": text(rss([{ title: "A", link: "https://a.example/" }])),
    })
    const { needs, manual, db } = await open(await create(), base)
    const config = discoveryConfig({ rss_feeds: [`${base}/feed`] })
    const ahead = { ...needs, clock: { now: () => manual.now() + 1e11, after: manual.after } }
    await readSources(ahead, config)
    await readSources(needs, config)
    expect(hits("/feed")).toBe(2)
    expect(Number((await sourceStates(db))[0]?.nextAt)).toBe(manual.now() + 30 * minute)
  })

  it("takes no harm from a charset that is not theirs, XML that breaks off, and a body that is cut", async () => {
    const whole = rss([{ title: "Caf\u00e9", link: "https://c.example/" }])
    const { base } = await servePaths({
      // Windows' bytes under the name of UTF-8, and a name that no charset has.
      "/mixed": text(Buffer.from(whole, "latin1"), { "content-type": "text/xml; charset=utf-8" }),
      "/unknown": text(whole, { "content-type": "text/xml; charset=klingon" }),
      "/broken": text(`${whole.slice(0, -40)}<<<&&&`, { "content-type": "text/xml" }),
      "/cut": (_request, response) => {
        response.writeHead(200, { "content-length": "5000" })
        response.write("<rss><channel><item>")
        response.destroy()
      },
      "/good": text(rss([{ title: "Good", link: "https://g.example/" }])),
    })
    const { needs, db } = await open(await create(), base)
    const feeds = ["mixed", "unknown", "broken", "cut", "good"].map((name) => `${base}/${name}`)
    await readSources(needs, discoveryConfig({ rss_feeds: feeds }))
    const states = await sourceStates(db)
    const errorOf = (name: string) => states.find(({ source }) => source.endsWith(`/${name}`))?.error
    const titles = async (name: string) =>
      (await storedItems(db, [`rss:${base}/${name}`], 0)).map(({ title }) => title)
    expect(await titles("good")).toEqual(["Good"])
    for (const name of ["mixed", "unknown"]) {
      expect(errorOf(name)).toBeNull()
      expect((await titles(name))[0]).toMatch(/^Caf/)
    }
    expect(errorOf("cut")).toEqual(expect.any(String))
    // Broken XML is refused with a reason, and nothing of it is taken.
    expect(errorOf("broken")).toContain("it is not a feed that can be read")
    expect(await titles("broken")).toEqual([])
  })

  it("takes source_fetch_limit entries, the newest, and stays small with ten thousand", async () => {
    const many = Array.from({ length: 10_000 }, (_, at) => ({
      ...{ title: `Entry ${at}`, link: `https://m.example/${at}` },
      more: `<pubDate>${new Date(Date.UTC(2025, 11, 31) + at * 1000).toUTCString()}</pubDate><description>${"word ".repeat(40)}</description>`,
    }))
    const { base } = await servePaths({ "/feed": text(rss(many)) })
    const { needs, db } = await open(await create(), base)
    const config = discoveryConfig({ rss_feeds: [`${base}/feed`], source_fetch_limit: 3 })
    await readSources(needs, config)
    const stored = await storedItems(db, [`rss:${base}/feed`], 0)
    expect(stored.map(({ title }) => title).sort()).toEqual(["Entry 9997", "Entry 9998", "Entry 9999"])
  })

  it("does not bring up what we or others posted within dedupe_hours, however the link is written", async () => {
    const { base } = await servePaths({
      "/feed": text(
        rss(
          ["one", "two", "three"].map((name) => ({
            title: name,
            link: `https://n.example/${name}?utm_source=rss`,
          })),
        ),
      ),
    })
    const { needs, titles, db, manual } = await open(await create(), base)
    const config = discoveryConfig({ rss_feeds: [`${base}/feed`], freshness_hours: 720 })
    await readSources(needs, config)
    const at = manual.now()
    const links = linksIn("https://www.n.example/two/").map((link) => ({ link, by: "others" as const }))
    await recordLinks(
      db,
      { community: "c", at, links: [{ link: "http://n.example/one", by: "us", source: "rss:x" }, ...links] },
      by,
    )
    expect(await titles(config)).toEqual(["three"])
    expect(await titles(config, "other")).toHaveLength(3)
    await manual.advance(100 * 60 * minute)
    expect(await titles({ ...config, dedupe_hours: 99 })).toHaveLength(3)
    expect(await titles({ ...config, dedupe_hours: 168 })).toHaveLength(1)
    const messages = [{ author: "a", text: "seen https://n.example/three#x ?" }]
    const left = await findCandidates(needs, { ...config, dedupe_hours: 99 }, { community: "c", messages })
    expect(left.map(({ title }) => title)).not.toContain("three")
  })

  it("forgets what is no longer configured", async () => {
    const { base } = await servePaths({ "/feed": text(rss([{ title: "A", link: "https://a.example/" }])) })
    const { needs, db } = await open(await create(), base)
    await readSources(needs, discoveryConfig({ rss_feeds: [`${base}/feed`] }))
    await readSources(needs, discoveryConfig({ sources: off }))
    expect(await sourceStates(db)).toEqual([])
    expect(await storedItems(db, [`rss:${base}/feed`], 0)).toEqual([])
    expect(await readJournal(db, { kind: "source.forgotten" })).toHaveLength(1)
  })

  it("stops when it is told to, without blaming the sources", async () => {
    const stop = new AbortController()
    const { base } = await servePaths({ "/feed": () => stop.abort() })
    const { needs, db } = await open(await create(), base)
    const report = await readSources(needs, discoveryConfig({ rss_feeds: [`${base}/feed`] }), stop.signal)
    expect(report).toMatchObject({ failed: 0, left: 1 })
    expect(await sourceStates(db)).toEqual([])
  })

  it("reads a feed of the person's own network only where allow_private_hosts names it", async () => {
    const { base, hits } = await servePaths({
      "/feed": text(rss([{ title: "Own", link: "https://o.example/" }])),
    })
    const { needs } = await open(await create(), base)
    const { createSafeFetch } = await import("../../../src/base/net/safe-fetch/safe-fetch.ts")
    const real = { ...needs, fetch: createSafeFetch({ clock: needs.clock }) }
    const config = discoveryConfig({ rss_feeds: [`${base}/feed`] })
    expect(await readSources(real, config)).toMatchObject({ failed: 1 })
    expect(hits("/feed")).toBe(0)
    const { db } = await open(await create(), base)
    const allowed = { ...config, allow_private_hosts: [new URL(base).host] }
    expect(await readSources({ ...real, db }, allowed)).toMatchObject({ read: 1 })
  })

  it("pauses seconds_between_requests between two requests to a host", async () => {
    const { base } = await servePaths({ "/a": text(rss([])), "/b": text(rss([])) })
    const { needs } = await open(await create(), base)
    const gaps: (number | undefined)[] = []
    const plain = openFetch()
    const fetch: typeof plain = (address, request) => {
      gaps.push(request?.limits?.gapMs)
      return plain(address, { ...request, limits: { ...request?.limits, gapMs: 0 } })
    }
    await readSources(
      { ...needs, fetch },
      discoveryConfig({ rss_feeds: [`${base}/a`, `${base}/b`], seconds_between_requests: 7 }),
    )
    expect(gaps).toEqual([7000, 7000])
  })
})
