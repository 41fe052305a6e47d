import { describe, expect, test } from "vitest"
import { forget } from "../../src/memory/write/change/forget-restore.ts"
import { linkMemories } from "../../src/memory/write/change/link.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { createToyEmbedder } from "../../testkit/toy-embedder.ts"
import { type MemoryWorld, openMemoryWorld } from "../../testkit/worlds/memory-world.ts"
import { ask, keep, link } from "../../testkit/worlds/retrieval.ts"

const _dayMs = 86_400_000

describeDatabases("Retrieval", (create) => {
  const open = async () => openMemoryWorld(await create(), 1, { embedder: createToyEmbedder() })

  describe("triggers", () => {
    const rows: [pattern: string, question: string, isMet: boolean][] = [
      [".env", "shall I git add .env now", true],
      [".env", "the .environment folder", false],
      ["force push", "Can I FORCE PUSH here?", true],
      ["force push", "can I force a push", false],
      ["prod", "deploy to prod.", true],
      ["prod", "our product is nice", false],
      ["prod", "reprod", false],
      ["prod*", "our product is nice", true],
      ["*prod", "the reprod case", true],
      ["rm*prod", "rm -rf /srv/prod", true],
      ["rm*prod", "rm products, then prod", true],
      ["rm*prod", "rm products", false],
      ["rm*prod", "prod first, then rm it", false],
      ["rm*prod", "rm something\nin prod", false],
      ["straße", "In der STRASSE", false],
      ["straße", "an der Straße", true],
      ["*", "anything at all", false],
    ]

    test.each(rows)("%j in %j: %s", async (pattern, question, isMet) => {
      const world = await open()
      await keep(world, "Bananas ripen quickly", { triggers: [pattern] })
      const { texts, via } = await ask(world, question, { gate: "strict" })
      expect(texts).toEqual(isMet ? ["Bananas ripen quickly"] : [])
      if (isMet) expect(via.get("Bananas ripen quickly")).toContain(`trigger ${pattern}`)
    })

    test("a memory brings itself up before everything else, but not when it is forgotten or not ours", async () => {
      const world = await open()
      await keep(world, "The deploy script deploys to production")
      const warned = await keep(world, "Ask Maria first", { triggers: ["deploy"] })
      await keep(world, "Ask Tom first", { triggers: ["deploy"], audience: "family" })
      await keep(world, "Ask Ann first", { triggers: ["deploy"], project: "other" })
      const asked = "How does the deploy script deploy to production?"
      expect((await ask(world, asked)).texts).toEqual([
        "Ask Maria first",
        "The deploy script deploys to production",
      ])
      await world.act((needs, by) => forget(needs, [warned], by))
      expect((await ask(world, asked)).texts).toEqual(["The deploy script deploys to production"])
    })
  })

  describe("the graph", () => {
    test("leads along links in both directions, two steps far and no further", async () => {
      const world = await open()
      const texts = ["Kettles whistle", "Granite is heavy", "Violins need rosin", "Lamps glow", "Otters swim"]
      const [first = "", second = "", third = "", fourth = "", before = ""] = await Promise.all(
        texts.map((text) => keep(world, text)),
      )
      await link(world, first, "relates-to", second)
      await link(world, second, "relates-to", third)
      await link(world, third, "relates-to", fourth)
      await link(world, before, "relates-to", first)
      const { hits, via } = await ask({ ...world, embedder: undefined }, "kettles")
      expect(hits.map(({ memory }) => memory.id)).toEqual([first, ...[second, before].sort(), third])
      expect(via.get("Kettles whistle")).toEqual(["text"])
      expect(via.get("Granite is heavy")).toEqual(["relates-to"])
      const [own = 0, next = 0, , last = 0] = hits.map(({ score }) => score)
      expect(own).toBeGreaterThan(next)
      expect(next).toBeGreaterThan(last)
    })

    test("a weaker link carries less", async () => {
      const world = await open()
      const first = await keep(world, "Kettles whistle")
      const [strong, weak] = [await keep(world, "Granite is heavy"), await keep(world, "Violins need rosin")]
      for (const [target, weight] of [
        [weak, 0.2],
        [strong, 0.9],
      ] as const) {
        await world.act((needs, by) =>
          linkMemories(needs, { source: first, kind: "relates-to", target, weight }, by),
        )
      }
      const { texts } = await ask({ ...world, embedder: undefined }, "kettles")
      expect(texts).toEqual(["Kettles whistle", "Granite is heavy", "Violins need rosin"])
    })

    test("leads through a tag to the newest others of it, a few at most", async () => {
      const world = await open()
      await keep(world, "Kettles whistle", { tags: ["kitchen"] })
      for (let index = 0; index < 12; index += 1) {
        await keep(world, `Thing number ${index}`, { tags: ["kitchen"] })
      }
      await keep(world, "Not of the kitchen", { tags: ["garden"] })
      const { texts, via } = await ask({ ...world, embedder: undefined }, "kettles")
      expect(texts[0]).toBe("Kettles whistle")
      expect(texts.slice(1).sort()).toEqual(
        [4, 5, 6, 7, 8, 9, 10, 11].map((index) => `Thing number ${index}`).sort(),
      )
      expect(via.get("Thing number 11")).toEqual(["tag kitchen"])
    })

    test("does not lead to what may not be seen, even past something visible", async () => {
      const world = await open()
      const first = await keep(world, "Kettles whistle", { tags: ["kitchen"] })
      const hidden = await keep(world, "A family secret", { audience: "family", tags: ["kitchen"] })
      const elsewhere = await keep(world, "A thing of the project", { project: "one", tags: ["kitchen"] })
      for (const target of [hidden, elsewhere]) await link(world, first, "relates-to", target)
      expect((await ask(world, "kettles")).texts).toEqual(["Kettles whistle"])
      const family = await ask(world, "kettles", { audiences: ["family"], project: "one" })
      expect(family.texts.sort()).toEqual(["A family secret", "A thing of the project", "Kettles whistle"])
    })
  })

  describe("a long question", () => {
    const words =
      "anchor basket candle dragon engine feather garden hammer island jungle kettle ladder".split(" ")
    const question = `I am thinking about ${words.join(", ")}`
    const alone = "Anchor, basket, candle; Monday, Tuesday, Wednesday, Thursday, Friday, Saturday"
    const inPairs = (some: readonly string[]) =>
      some.flatMap((word, place) => (place % 2 === 0 ? `Some ${word} and ${some[place + 1]}` : []))

    /** Keeps a session whose messages stand so far apart that none is beside another. */
    async function saveSession(world: MemoryWorld, sessionId: string, texts: readonly string[], from = 0) {
      for (const [place, text] of texts.entries()) {
        await keep(world, text, { sessionId, messageIndex: from + place * 3 })
      }
    }

    async function sessionsFor(world: MemoryWorld, query: string): Promise<(string | null)[]> {
      const { hits } = await ask(world, query)
      return hits.map(({ memory }) => memory.sessionId)
    }

    test("finds the session that meets it as a whole before a message that meets more of it alone", async () => {
      const world = await open()
      await saveSession(world, "whole", inPairs(words.slice(0, 10)))
      await saveSession(world, "single", [alone])
      const byWords = { ...world, embedder: undefined }
      expect((await sessionsFor(world, question))[0]).toBe("whole")
      expect((await sessionsFor(byWords, question))[0]).toBe("whole")
      expect((await sessionsFor(byWords, "anchor, basket, candle"))[0]).toBe("single")
    })

    test("counts nothing of a session that may not be seen, or stands far off in it", async () => {
      const world = { ...(await open()), embedder: undefined }
      await saveSession(world, "whole", inPairs(words.slice(0, 2)))
      await saveSession(world, "whole", inPairs(words.slice(2, 10)), 1000)
      for (const [place, content] of inPairs(words.slice(2, 10)).entries()) {
        await keep(world, content, { sessionId: "whole", messageIndex: 1 + place, audience: "family" })
      }
      await saveSession(world, "single", ["Anchor, basket, candle"])
      const { hits } = await ask(world, question)
      const places = hits.map(({ memory }) => `${memory.sessionId} ${memory.messageIndex}`)
      expect(places.indexOf("single 0")).toBeLessThan(places.indexOf("whole 0"))
      expect((await ask(world, question, { audiences: ["family"] })).hits[0]?.memory.sessionId).toBe("whole")
    })

    test("is answered from several sessions before one of them is told at length", async () => {
      const world = { ...(await open()), embedder: undefined }
      await saveSession(world, "first", inPairs(words.slice(0, 8)))
      await saveSession(world, "second", inPairs(words.slice(8, 12)))
      await saveSession(world, "third", ["The feather garden"])
      const { hits } = await ask(world, question)
      const sessions = hits.map(({ memory }) => memory.sessionId)
      expect(sessions.slice(0, 3)).toEqual(["first", "second", "third"])
      expect(sessions.slice(3).sort()).toEqual(["first", "first", "first", "second"])
      const scores = hits.map(({ score }) => score)
      expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    })
  })

  describe("time", () => {
    const day = 86_400_000
    // The manual clock begins on 1 January 2026.
    const rows: [question: string, wanted: string][] = [
      ["What did we do at the lake in May 2023?", "We sailed on the lake"],
      ["What did we do at the lake in July 2024?", "We swam in the lake"],
      ["What did we do at the lake yesterday?", "We fished in the lake"],
      ["What did we do at the lake two weeks ago?", "We skated on the lake"],
    ]
    test.each(rows)("%j prefers what was told then", async (question, wanted) => {
      const world = await open()
      // Outside the time that is asked for, and believed more than the others.
      await keep(world, "We rowed on the lake", { createdAt: world.clock.now() - 5 * day })
      const told: [string, number][] = [
        ["We sailed on the lake", Date.UTC(2023, 4, 14)],
        ["We swam in the lake", Date.UTC(2024, 6, 3)],
        ["We skated on the lake", world.clock.now() - 14 * day],
        ["We fished in the lake", world.clock.now() - day],
      ]
      for (const [text, createdAt] of told) await keep(world, text, { createdAt, confidence: 0.5 })
      expect((await ask({ ...world, embedder: undefined }, question)).texts[0]).toBe(wanted)
    })
  })

  describe("embedders", () => {
    test("without one, memories are found by their words", async () => {
      const world = await openMemoryWorld(await create())
      await world.remember("The API listens on port 8080")
      await world.remember("Bananas ripen quickly")
      const { texts, via } = await ask(world, "Which port does the API listen on?", { gate: "strict" })
      expect(texts).toEqual(["The API listens on port 8080"])
      expect(via.get("The API listens on port 8080")).toEqual(["text"])
    })

    test("memories that have no vectors yet are found beside those that have", async () => {
      const store = await create()
      const before = await openMemoryWorld(store)
      await before.remember("The old kettle whistles")
      const world = await openMemoryWorld(store, 2, { embedder: createToyEmbedder() })
      await keep(world, "The new kettle whistles")
      const { via } = await ask(world, "Which kettle whistles?", { gate: "strict" })
      expect(via.get("The old kettle whistles")).toEqual(["text"])
      expect(via.get("The new kettle whistles")).toEqual(["text", "meaning"])
    })

    test("one that fails leaves search by words", async () => {
      const store = await create()
      const world = await openMemoryWorld(store, 1, { embedder: createToyEmbedder() })
      await keep(world, "The kettle whistles")
      const broken = createToyEmbedder({
        before() {
          throw new Error("no connection")
        },
      })
      const { via } = await ask({ ...world, embedder: broken }, "Which kettle whistles?", { gate: "strict" })
      expect(via.get("The kettle whistles")).toEqual(["text"])
    })

    test("a memory that shares no word with the question is found by its meaning", async () => {
      const world = await open()
      // The stems are the same, the words are not.
      await keep(world, "Listening ports: opened")
      const { via } = await ask(world, "open port listeners")
      expect(via.get("Listening ports: opened")).toContain("meaning")
    })
  })

  test("memory that is switched off answers nothing and says why", async () => {
    const store = await create()
    const on = await openMemoryWorld(store)
    await on.remember("Bananas ripen quickly", { triggers: ["bananas"] })
    const off = await openMemoryWorld(store, 1, { config: { memory: { enabled: false } } })
    expect(await ask(off, "bananas")).toMatchObject({
      hits: [],
      abstained: true,
      confidence: 0,
      reason: expect.stringMatching(/switched off/),
    })
  })
})
