import { describe, expect, it } from "vitest"
import type { ChannelEvent } from "../../../src/chat/channels/channel.ts"
import { rank } from "../../../src/chat/discovery/choose/rank.ts"
import { guidance, performance } from "../../../src/chat/feedback/performance.ts"
import { sentimentOf } from "../../../src/chat/feedback/sentiment.ts"
import {
  deleteResponses,
  type RecordedPost,
  recordPost,
  recordReaction,
  recordReply,
} from "../../../src/chat/feedback/store.ts"
import { readJournal } from "../../../src/storage/journal.ts"
import { hall, message } from "../../../testkit/chat/messages.ts"
import { discoveryConfig } from "../../../testkit/discovery/world.ts"
import { createManualClock, withRealTimers } from "../../../testkit/manual-clock.ts"
import { createSeededRandom } from "../../../testkit/seeded-random.ts"
import { describeDatabases, type TestDatabase } from "../../../testkit/setup/databases.ts"

const hour = 3_600_000
const community = "test/c1"

async function open(store: TestDatabase) {
  const manual = createManualClock()
  const clock = withRealTimers(manual)
  const db = await store.open({ clock })
  const needs = { db, clock, random: createSeededRandom(1) }
  let posts = 0
  const post = async (given: Partial<RecordedPost> = {}) => {
    posts += 1
    const noted: RecordedPost = {
      ...{ community, room: hall, messageIds: [`p${posts}`], kind: "link", sources: ["rss:a"] },
      ...{ thoughtId: null, at: clock.now(), ...given },
    }
    await recordPost(needs, noted)
    return noted.messageIds[0] ?? ""
  }
  const react = (id: string, given: Partial<Extract<ChannelEvent, { kind: "reaction" }>> = {}) =>
    recordReaction(needs, {
      ...{ kind: "reaction", room: hall, id, emoji: "🌱", added: true, at: clock.now() },
      ...{ author: { id: "ann", name: "ann", isBot: false }, ...given },
    })
  const reply = (to: string | null, given: Parameters<typeof message>[1] = {}) =>
    recordReply(
      needs,
      message("nice", {
        ...{ at: clock.now(), replyTo: to === null ? null : { id: to, isOurs: true }, mentionsUs: true },
        ...given,
      }),
    )
  const taken = async (source = "rss:a") => (await performance(needs, community)).bySource.get(source)
  return { ...needs, manual, post, react, reply, taken }
}

const person = (id: string) => ({ author: { id, name: id, isBot: false } })

describeDatabases("How people take what is posted", (create) => {
  it("counts reactions and replies as liked, and nothing for 12 hours as ignored", async () => {
    const { post, react, reply, taken, manual } = await open(await create())
    const [a, b] = [await post(), await post()]
    await post()
    await react(a)
    await reply(b)
    expect(await taken()).toMatchObject({ shared: 2, liked: 2, ignored: 0, reactions: 1, replies: 1 })
    await manual.advance(12 * hour)
    expect(await taken()).toMatchObject({ shared: 3, liked: 2, ignored: 1 })
  })

  it("counts each person once, takes a reaction back, and takes one against as such", async () => {
    const { post, react, taken } = await open(await create())
    const id = await post()
    await react(id)
    await react(id)
    await react(id, { emoji: "🎉" })
    expect(await taken()).toMatchObject({ liked: 1, reactions: 2 })
    await react(id, { emoji: "👎🏽", ...person("bob") })
    await react(id, { emoji: "👎", ...person("cleo") })
    expect(await taken()).toMatchObject({ shared: 1, liked: 0, disliked: 1 })
    for (const one of ["bob", "cleo"])
      await react(id, { added: false, emoji: one === "bob" ? "👎🏽" : "👎", ...person(one) })
    expect(await taken()).toMatchObject({ liked: 1, disliked: 0 })
    for (const emoji of ["🌱", "🎉"]) await react(id, { added: false, emoji })
    expect(await taken()).toMatchObject({ shared: 0, liked: 0, reactions: 0 })
  })

  it("counts nothing of bots, of ourselves, to other messages or in other communities", async () => {
    const { post, react, reply, taken, db } = await open(await create())
    const id = await post()
    await react(id, { author: { id: "bot", name: "bot", isBot: true } })
    await react("m99")
    await react(id, { room: { ...hall, community: "c2" } })
    await reply(id, { isBot: true })
    await reply(id, { isOurs: true })
    await reply("m99")
    await reply(null, { mentionsUs: false })
    expect(await taken()).toMatchObject({ shared: 0, replies: 0, reactions: 0 })
    expect(await readJournal(db, { kind: "post.responded" })).toEqual([])
  })

  it("takes a word to us right after a post as a reply, where there are no replies", async () => {
    const { post, reply, taken, manual } = await open(await create())
    await post()
    await manual.advance(hour)
    await reply(null)
    expect(await taken()).toMatchObject({ replies: 0 })
    await post()
    await manual.advance(60_000)
    await reply(null)
    await reply(null, { room: { ...hall, channel: "desk" } })
    expect(await taken()).toMatchObject({ replies: 1, liked: 1 })
  })

  it("knows a post by each of its messages, and once", async () => {
    const { post, react, taken, db } = await open(await create())
    await post({ messageIds: ["x1", "x2"] })
    await post({ messageIds: ["x2"] })
    await react("x2")
    expect(await taken()).toMatchObject({ shared: 1, liked: 1 })
    expect(await readJournal(db, { kind: "post.noted" })).toHaveLength(1)
  })

  it("is counted by source, channel and kind, for each community, and for 90 days", async () => {
    const { post, react, manual, ...needs } = await open(await create())
    await react(await post({ sources: ["rss:a", "rss:b"] }))
    await react(await post({ kind: "thought", sources: [], room: { ...hall, channel: "desk" } }))
    await post({ community: "test/other", room: { ...hall, community: "other" } })
    await manual.advance(13 * hour)
    const here = await performance(needs, community)
    expect([...here.bySource.keys()]).toEqual(["rss:a", "rss:b"])
    expect([...here.byChannelAndKind.values()]).toMatchObject([
      { room: "test/c1/hall", taken: { liked: 1 } },
      { room: "test/c1/desk", kind: "thought", taken: { liked: 1 } },
    ])
    expect((await performance(needs, "test/other")).bySource.get("rss:a")).toMatchObject({ ignored: 1 })
    expect((await performance(needs)).bySource.get("rss:a")).toMatchObject({ shared: 2, liked: 1 })
    await manual.advance(90 * 24 * hour)
    expect((await performance(needs)).bySource.size).toBe(0)
  })

  it("is forgotten for who wants to be forgotten", async () => {
    const { post, react, taken, db } = await open(await create())
    const id = await post()
    await react(id)
    await react(id, person("bob"))
    await deleteResponses(db, hall, "ann", { operation: "op_x", actor: "chat", at: 1 })
    expect(await taken()).toMatchObject({ reactions: 1 })
    await deleteResponses(db, { ...hall, community: "c2" }, "bob", {
      operation: "op_y",
      actor: "chat",
      at: 1,
    })
    expect(await taken()).toMatchObject({ reactions: 1 })
    expect(JSON.stringify(await readJournal(db, { kind: "post." }))).not.toMatch(/ann|bob|🌱/)
  })

  it("moves entries of sources that people like up, and those that they ignore down", async () => {
    const { post, react, manual, ...needs } = await open(await create())
    const item = (source: string) => ({
      ...{ source, url: `https://e.example/${source}`, link: `https://e.example/${source}`, summary: "" },
      ...{
        title: source === "rss:a" ? "gardens in spring" : "trains at night",
        publishedAt: null,
        firstSeenAt: manual.now(),
        popularity: null,
        isNsfw: false,
      },
    })
    const order = async () => {
      const { bySource } = await performance(needs, community)
      const input = { topics: new Map(), posted: new Set<string>(), now: manual.now(), feedback: bySource }
      const items = [item("rss:a"), item("rss:b")]
      const config = discoveryConfig({ randomness: 0 })
      return rank(config, { ...input, items, random: needs.random }).map(({ source }) => source)
    }
    for (const _ of [1, 2, 3]) await post()
    for (const _ of [1, 2, 3]) await react(await post({ sources: ["rss:b"] }))
    await manual.advance(13 * hour)
    expect(await order()).toEqual(["rss:b", "rss:a"])
    for (const _ of [1, 2, 3, 4, 5, 6, 7, 8, 9]) await react(await post())
    for (const _ of [1, 2, 3, 4, 5, 6]) await post({ sources: ["rss:b"] })
    await manual.advance(13 * hour)
    expect(await order()).toEqual(["rss:a", "rss:b"])
  })

  it("becomes sentences that a model can use, once there is enough to tell", async () => {
    const { post, react, manual, ...needs } = await open(await create())
    const told = async () => guidance(await performance(needs, community), () => "#news")
    await post({ sources: [] })
    await post({ sources: [] })
    await manual.advance(13 * hour)
    expect(await told()).toEqual([])
    await post({ sources: [] })
    await post({ sources: [] })
    await react(await post({ sources: [] }))
    for (const _ of [1, 2, 3]) await react(await post({ kind: "thought", sources: [] }))
    await manual.advance(13 * hour)
    expect(await told()).toEqual([
      "Posts with a link in #news were ignored 4 of 5 times.",
      "Thoughts of your own in #news were liked 3 of 3 times.",
    ])
  })
})

describe("A reaction", () => {
  it.each([
    ["👍", 1],
    ["❤️", 1],
    ["🤔", 1],
    [":party:", 1],
    ["👎", -1],
    ["👎🏿", -1],
    [":downvote:", -1],
  ])("%s is for it or against it", (emoji, value) => {
    expect(sentimentOf(emoji)).toBe(value)
  })
})
