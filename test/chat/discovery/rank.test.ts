import { describe, expect, it } from "vitest"
import { rank } from "../../../src/chat/discovery/choose/rank.ts"
import { topicMatch, topicsOf } from "../../../src/chat/discovery/choose/topics.ts"
import type { StoredItem } from "../../../src/chat/discovery/store.ts"
import { discoveryConfig } from "../../../testkit/discovery/world.ts"
import { createSeededRandom } from "../../../testkit/seeded-random.ts"

const now = Date.UTC(2026, 5, 1)
const hour = 3_600_000

function item(name: string, given: Partial<StoredItem> = {}): StoredItem {
  return {
    ...{ source: "rss:a", url: `https://a.example/${name}`, link: `https://a.example/${name}`, summary: "" },
    ...{ title: `${name} ${name}ing ${name}er`, publishedAt: now - hour, firstSeenAt: now - hour },
    ...{ popularity: null, isNsfw: false },
    ...given,
  }
}

function ranked(items: StoredItem[], given: Partial<Parameters<typeof rank>[1]> = {}, config = {}) {
  const input = { items, topics: new Map(), feedback: new Map(), posted: new Set<string>(), now, ...given }
  const all = rank(
    { ...discoveryConfig({ randomness: 0 }), ...config },
    { random: createSeededRandom(1), ...input },
  )
  return all.map(({ url }) => url.split("/").at(-1))
}

const said = (...texts: string[]) => texts.map((text, at) => ({ author: `p${at % 3}`, text }))

describe("Which entries are worth showing", () => {
  it("are the fresh ones before the old ones, and none beyond freshness_hours", () => {
    const items = [
      item("old", { publishedAt: now - 50 * hour }),
      item("new"),
      item("stale", { publishedAt: now - 97 * hour }),
    ]
    expect(ranked(items)).toEqual(["new", "old"])
    expect(ranked(items, {}, { freshness_hours: 24 })).toEqual(["new"])
  })

  it("does not believe that something is newer than when it was first seen", () => {
    const claimed = item("claimed", { publishedAt: now + 10 * hour, firstSeenAt: now - 200 * hour })
    expect(ranked([claimed, item("new")])).toEqual(["new"])
  })

  it("are those that more people noticed, each family by its own measure", () => {
    const hn = [500, 20].map((points) =>
      item(`hn${points}`, { source: "hacker_news:top", popularity: points }),
    )
    const video = [90_000, 10].map((views) => item(`yt${views}`, { source: "youtube:b", popularity: views }))
    const order = ranked([...hn, ...video])
    expect(order.slice(0, 2).sort()).toEqual(["hn500", "yt90000"])
  })

  it.each([
    ["English", "the reactor was refuelled", "reactor news", "football scores"],
    ["German", "Der Deich am Hafen hält", "Deich am Hafen verstärkt", "Fußball am Samstag"],
    ["Russian", "Марсоход передал снимки кратера", "Марсоход нашёл новый кратер", "Погода на выходные"],
    ["Japanese", "新しい火星探査機の写真を見た", "火星探査機が着陸", "今日の天気予報"],
    ["Arabic", "مسبار المريخ أرسل صورا جديدة", "مسبار المريخ يصل", "أخبار كرة القدم"],
  ])("are about what the community talks about, in %s", (_language, talk, about, other) => {
    const topics = topicsOf(said(talk, `${talk}!`, "hm 👍", "ok", "🙂", "1"))
    expect(topicMatch(topics, about)).toBeGreaterThan(topicMatch(topics, other))
    const items = [item("other", { title: other, publishedAt: now }), item("about", { title: about })]
    expect(ranked(items, { topics })[0]).toBe("about")
  })

  it("take no word for a topic that stands in every message", () => {
    const topics = topicsOf(said("genau reaktor", "genau hafen", "genau deich", "genau reaktor"))
    expect(topicMatch(topics, "reaktor")).toBeGreaterThan(topicMatch(topics, "genau"))
  })

  it("come from sources that the community liked before those it ignored", () => {
    const feedback = new Map([
      ["rss:good", { shared: 10, liked: 8 }],
      ["rss:bad", { shared: 10, liked: 0 }],
    ])
    const items = [
      item("ignored", { source: "rss:bad" }),
      item("unknown", { source: "rss:c" }),
      item("liked", { source: "rss:good" }),
    ]
    expect(ranked(items, { feedback })).toEqual(["liked", "unknown", "ignored"])
  })

  it("are new to the community, and each thing and each news only once", () => {
    const posted = new Set(["https://a.example/known"])
    const items = [
      item("known"),
      item("launch", { title: "Rocket launch delayed by storm" }),
      item("launch2", { title: "Rocket launch delayed by a storm", source: "rss:b" }),
      item("same", { source: "rss:b" }),
      item("same", { source: "rss:c", popularity: 3 }),
    ]
    const order = ranked(items, { posted })
    expect(order.filter((name) => name === "same")).toHaveLength(1)
    expect(order.filter((name) => name?.startsWith("launch"))).toHaveLength(1)
    expect(order).not.toContain("known")
  })

  it("are of several sources where one has much", () => {
    const many = ["one", "two", "three", "four"].map((name) => item(name, { publishedAt: now }))
    const order = ranked([...many, item("lone", { source: "rss:b", publishedAt: now - 10 * hour })])
    expect(order.indexOf("lone")).toBeLessThan(3)
  })

  it("hold nothing adult unless allow_nsfw, and no more than max_candidates_for_prompt", () => {
    const items = [item("adult", { isNsfw: true }), item("one"), item("two"), item("three")]
    expect(ranked(items)).not.toContain("adult")
    expect(ranked(items, {}, { allow_nsfw: true })).toContain("adult")
    expect(ranked(items, {}, { max_candidates_for_prompt: 2 })).toHaveLength(2)
  })

  it("vary by chance with randomness, and never without", () => {
    const items = ["one", "two", "three", "four", "five"].map((name, at) =>
      item(name, { publishedAt: now - at * hour }),
    )
    const orders = (randomness: number) =>
      new Set(
        [1, 2, 3, 4, 5, 6].map((seed) =>
          ranked(items, { random: createSeededRandom(seed) }, { randomness }).join(),
        ),
      )
    expect(orders(0).size).toBe(1)
    expect(orders(100).size).toBeGreaterThan(1)
  })
})
