import { expect, it } from "vitest"
import { findCandidates } from "../../../src/chat/discovery/candidates.ts"
import {
  addSource,
  type CurateNeeds,
  listSources,
  removeSource,
  undoSourceChange,
} from "../../../src/chat/discovery/curate.ts"
import { readSources } from "../../../src/chat/discovery/round.ts"
import type { DiscoveryConfig, Family } from "../../../src/chat/discovery/sources/source.ts"
import { readJournal } from "../../../src/storage/journal.ts"
import { discoveryConfig, openSources, rss, servePaths, text } from "../../../testkit/discovery/world.ts"
import { createManualClock, withRealTimers } from "../../../testkit/manual-clock.ts"
import { createSeededRandom } from "../../../testkit/seeded-random.ts"
import { describeDatabases, type TestDatabase } from "../../../testkit/setup/databases.ts"

const by = { operation: "op_undo", actor: "person" }

async function open(store: TestDatabase) {
  const adult = JSON.stringify({
    data: { children: [{ data: { title: "X", permalink: "/x", url: "https://x.example/", over_18: true } }] },
  })
  const feeds = ["/a", "/b", "/c", "/d"].map((path) => [
    path,
    text(rss([{ title: `From ${path}`, link: `https://e.example${path}` }])),
  ])
  const { base, hits } = await servePaths({
    ...Object.fromEntries(feeds),
    "/empty": text(rss([])),
    "/page": text("<html>no feed</html>"),
    "/reddit/r/adult/hot.json": text(adult),
  })
  const manual = createManualClock()
  const clock = withRealTimers(manual)
  const db = await store.open({ clock })
  const needs: CurateNeeds = { ...openSources(base, { clock }), db, random: createSeededRandom(1) }
  const add = (
    value: string,
    config: DiscoveryConfig = discoveryConfig(),
    family: Family = "rss",
    community = "c",
  ) => addSource(needs, config, { community, family, value, reason: "people talk about it" })
  const remove = (value: string, config: DiscoveryConfig = discoveryConfig()) =>
    removeSource(needs, config, { community: "c", family: "rss", value, reason: "nobody cares" })
  const keys = async (config = discoveryConfig(), community = "c") =>
    (await listSources(db, config, community)).map(
      ({ key, addedBy }) => `${addedBy} ${key.replace(base, "")}`,
    )
  return { needs, db, manual, base, hits, add, remove, keys }
}

describeDatabases("Sources that the agent chooses", (create) => {
  it("are read for real before they are added, belong to one community, and are in the journal", async () => {
    const { needs, db, base, add, keys } = await open(await create())
    expect(await add(`${base}/a#x`)).toMatchObject({ source: { title: "A feed" }, found: ["From /a"] })
    expect(await keys()).toEqual(["agent rss:/a"])
    expect(await keys(discoveryConfig(), "other")).toEqual([])
    const [entry] = await readJournal(db, { kind: "source.added" })
    expect(entry).toMatchObject({
      subject: `rss:${base}/a`,
      data: { community: "c", reason: "people talk about it" },
    })
    await readSources(needs, discoveryConfig())
    const candidates = (community: string) =>
      findCandidates(needs, discoveryConfig(), { community, messages: [] })
    expect(await candidates("c")).toHaveLength(1)
    expect(await candidates("other")).toEqual([])
  })

  it.each([
    ["that have no entries", "/empty", "no entries"],
    ["that are no feeds", "/page", "cannot be read"],
    ["that are not there", "/nowhere", "404"],
  ])("are none %s", async (_what, path, words) => {
    const { base, add, keys } = await open(await create())
    const answer = await add(`${base}${path}`)
    expect("problem" in answer ? answer.problem : "").toContain(words)
    expect(await keys()).toEqual([])
  })

  it("must be of a type that is read, and allowed at all, and are not even fetched otherwise", async () => {
    const { base, add, hits } = await open(await create())
    const sources = { ...discoveryConfig().sources, rss: false }
    expect(await add(`${base}/a`, discoveryConfig({ sources }))).toHaveProperty("problem")
    expect(await add(`${base}/a`, discoveryConfig({ allow_self_curation: false }))).toHaveProperty("problem")
    expect(await add("top", discoveryConfig(), "hacker_news")).toHaveProperty("problem")
    expect(await add("not a name!", discoveryConfig(), "reddit")).toHaveProperty("problem")
    expect(await add("http://me:secret@127.0.0.1/a")).toHaveProperty("problem")
    expect(hits("/")).toBe(0)
  })

  it("are not adult unless allow_nsfw", async () => {
    const { add } = await open(await create())
    expect(await add("adult", discoveryConfig(), "reddit")).toMatchObject({
      problem: expect.stringContaining("adult"),
    })
    expect(await add("adult", discoveryConfig({ allow_nsfw: true }), "reddit")).toHaveProperty("source")
  })

  it("are no duplicates, of the person's either", async () => {
    const { base, add } = await open(await create())
    await add(`${base}/a`)
    expect(await add(`${base}/a`)).toMatchObject({ problem: expect.stringContaining("already") })
    const own = discoveryConfig({ rss_feeds: [`${base}/b`] })
    expect(await add(`${base}/b`, own)).toMatchObject({ problem: expect.stringContaining("already") })
  })

  it("are at most max_sources_per_type with the person's, also when several are added at once", async () => {
    const { base, add, keys } = await open(await create())
    const config = discoveryConfig({ rss_feeds: [`${base}/d`], max_sources_per_type: 2 })
    const answers = await Promise.all(["/a", "/b", "/c"].map((path) => add(`${base}${path}`, config)))
    expect(answers.filter((answer) => "source" in answer)).toHaveLength(1)
    expect(await keys(config)).toHaveLength(2)
  })

  it("are at most max_additions_per_day, those included that were removed again", async () => {
    const { base, add, remove, manual } = await open(await create())
    const config = discoveryConfig({ max_additions_per_day: 2 })
    await add(`${base}/a`, config)
    await remove(`${base}/a`, config)
    await add(`${base}/b`, config)
    expect(await add(`${base}/c`, config)).toMatchObject({ problem: expect.stringContaining("tomorrow") })
    expect(await add(`${base}/c`, config, "rss", "other")).toHaveProperty("source")
    await manual.advance(24 * 3_600_000 + 1)
    expect(await add(`${base}/c`, config)).toHaveProperty("source")
  })

  it("can be removed by the agent, but never those of the person", async () => {
    const { base, add, remove, keys } = await open(await create())
    const config = discoveryConfig({ rss_feeds: [`${base}/b`] })
    await add(`${base}/a`, config)
    expect(await remove(`${base}/b`, config)).toMatchObject({
      problem: expect.stringContaining("user's own"),
    })
    expect(await remove(`${base}/c`, config)).toMatchObject({
      problem: expect.stringContaining("not being read"),
    })
    expect(await remove(`${base}/a`, { ...config, allow_self_curation: false })).toHaveProperty("problem")
    expect(await remove(`${base}/a`, config)).toHaveProperty("source")
    expect(await keys(config)).toEqual(["person rss:/b"])
  })

  it("can be taken back, both ways, and taking back does not count as an addition", async () => {
    const { needs, base, add, remove, keys } = await open(await create())
    const config = discoveryConfig({ max_additions_per_day: 2 })
    const added = await add(`${base}/a`, config)
    const removed = await remove(`${base}/a`, config)
    if ("problem" in added || "problem" in removed) throw new Error("it was not changed")
    expect(await undoSourceChange(needs, removed.operation, by)).toBe(1)
    expect(await keys()).toEqual(["agent rss:/a"])
    expect(await undoSourceChange(needs, removed.operation, by)).toBe(0)
    expect(await undoSourceChange(needs, added.operation, by)).toBe(1)
    expect(await keys()).toEqual([])
    expect(await add(`${base}/b`, config)).toHaveProperty("source")
  })
})
