import { describe, expect, test } from "vitest"
import { forget } from "../../src/memory/write/change/forget-restore.ts"
import { rateMemory } from "../../src/memory/write/change/rate.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { createToyEmbedder } from "../../testkit/toy-embedder.ts"
import { type MemoryWorld, openMemoryWorld } from "../../testkit/worlds/memory-world.ts"
import { ask, idOf, keep, link } from "../../testkit/worlds/retrieval.ts"

const dayMs = 86_400_000

describeDatabases("What retrieval puts first, and what it leaves out", (create) => {
  const open = async () => openMemoryWorld(await create(), 1, { embedder: createToyEmbedder() })

  describe("what was replaced", () => {
    test("gives its place to what holds now, over a chain, and says so", async () => {
      const world = await open()
      const old = await keep(world, "The kettle is in the cellar")
      const middle = await keep(world, "Since spring: upstairs, left")
      const now = await keep(world, "It was moved to the attic")
      await keep(world, "A kettle costs thirty")
      const before = (await ask(world, "Where is the kettle in the cellar?")).texts
      expect(before[0]).toBe("The kettle is in the cellar")
      await link(world, middle, "supersedes", old)
      await link(world, now, "supersedes", middle)
      const { texts, via, hits } = await ask(world, "Where is the kettle in the cellar?")
      expect(texts[0]).toBe("It was moved to the attic")
      expect(texts).not.toContain("The kettle is in the cellar")
      expect(texts).not.toContain("Since spring: upstairs, left")
      expect(via.get("It was moved to the attic")).toContain(`supersedes ${old}`)
      expect(hits.map(({ memory }) => memory.id)).toContain(now)
    })

    test("gives its ways to what holds now, beside those by which that was found itself", async () => {
      const world = await open()
      const old = await keep(world, "The kettle is in the cellar")
      const now = await keep(world, "The kettle is in the attic")
      await link(world, now, "supersedes", old)
      const { texts, via } = await ask({ ...world, embedder: undefined }, "kettle attic cellar")
      expect(texts).toEqual(["The kettle is in the attic"])
      expect(via.get("The kettle is in the attic")).toEqual(["text", `supersedes ${old}`])
    })

    test("is not shown at all where what holds now was forgotten or may not be seen", async () => {
      const world = await open()
      const old = await keep(world, "The kettle is in the cellar")
      const now = await keep(world, "It was moved to the attic", { audience: "family" })
      await link(world, now, "supersedes", old)
      expect((await ask(world, "kettle cellar")).texts).toEqual([])
      expect((await ask(world, "kettle cellar", { audiences: ["family"] })).texts).toEqual([
        "It was moved to the attic",
      ])
      await world.act((needs, by) => forget(needs, [now], by))
      expect((await ask(world, "kettle cellar", { audiences: ["family"] })).texts).toEqual([])
    })
  })

  test("the messages beside a hit come with it, of the same session and near by only", async () => {
    const world = await open()
    const lines = [
      "Ann: Good morning",
      "Tom: How was the violin lesson?",
      "Ann: Wonderful, we played Bach",
      "Tom: Nice",
      "Ann: See you",
    ]
    for (const [messageIndex, text] of lines.entries()) {
      await keep(world, text, { sessionId: "talk", messageIndex })
    }
    await keep(world, "Bob: Wonderful weather for sailing", { sessionId: "other", messageIndex: 2 })
    const { via, texts } = await ask({ ...world, embedder: undefined }, "violin lesson")
    expect(via.get("Ann: Wonderful, we played Bach")).toEqual(["neighbour"])
    expect(via.get("Tom: Nice")).toEqual(["neighbour"])
    expect(texts).not.toContain("Ann: See you")
    expect(texts).not.toContain("Bob: Wonderful weather for sailing")
  })

  describe("the gate", () => {
    test("keeps silent when nothing has to do with the question; without it the list is shown", async () => {
      const world = await open()
      await keep(world, "The API listens on port 8080")
      await keep(world, "Maria owns the billing service")
      const asked = "What is the capital of Peru?"
      expect(await ask(world, asked, { gate: "strict" })).toMatchObject({ hits: [], abstained: true })
      const ungated = await ask(world, asked)
      expect(ungated.hits.length).toBeGreaterThan(0)
      expect(ungated).toMatchObject({ abstained: true })
      expect(ungated.hits.map(({ sure }) => sure)).not.toContain(true)
      expect((await ask(world, asked, { gate: true })).hits).toEqual(ungated.hits.slice(0, 5))
      expect(ungated.confidence).toBeLessThan(0.2)
    })

    test("keeps silent where one word of many is met by chance", async () => {
      const world = await openMemoryWorld(await create())
      await keep(world, "The API listens on port 8080")
      const asked = "Which port wine tastes sweet beside walnut cake after dinner?"
      const ungated = await ask(world, asked)
      // Not so unlikely that it would be left out of an answer.
      expect(ungated.hits[0]?.score).toBeGreaterThan(0.03)
      expect(await ask(world, asked, { gate: "strict" })).toMatchObject({ hits: [], abstained: true })
    })

    test("lets an answer through and leaves out what is far behind it", async () => {
      const world = await open()
      await keep(world, "The API listens on port 8080")
      await keep(world, "Bananas ripen quickly in the sun")
      const { texts, confidence } = await ask(world, "Which port does the API listen on?", { gate: "strict" })
      expect(texts).toEqual(["The API listens on port 8080"])
      expect(confidence).toBeGreaterThan(0.5)
      expect((await ask(world, "Which port does the API listen on?")).texts).toContain(
        "Bananas ripen quickly in the sun",
      )
    })

    test("an empty question and one of stop words find nothing and do no harm", async () => {
      const world = await open()
      await keep(world, "The API listens on port 8080")
      for (const query of ["", "  ", "?!", "\u0000"]) {
        expect(await ask(world, query)).toMatchObject({ hits: [], abstained: true, confidence: 0 })
      }
      expect((await ask(world, "what is the", { gate: "strict" })).abstained).toBe(true)
    })
  })

  test("a statement that is repeated is shown once, one that differs in a number is not a repetition", async () => {
    const world = await open()
    await keep(world, "The nightly build of billing takes 20 minutes")
    await keep(world, "the nightly build of billing takes 20 minutes!")
    await keep(world, "The nightly build of billing takes 35 minutes")
    const { texts } = await ask(world, "How long does the nightly build of billing take?")
    expect(texts).toHaveLength(2)
    expect(texts.filter((text) => text.includes("20"))).toHaveLength(1)
  })

  test("what is repeated within a session is shown once, in other sessions once more", async () => {
    const world = await open()
    const text = "The nightly build of billing takes 20 minutes"
    for (const [messageIndex, sessionId] of ["one", "one", "two", "three"].entries()) {
      await keep(world, text, { sessionId, messageIndex })
    }
    const { hits } = await ask(world, "How long does the nightly build of billing take?")
    expect(new Set(hits.map(({ memory }) => memory.sessionId)).size).toBe(2)
    expect(hits).toHaveLength(2)
  })

  describe("priors", () => {
    /** The first of two memories that a question cannot tell apart. */
    async function firstOf(
      prepare: (world: MemoryWorld, text: string) => Promise<unknown>,
    ): Promise<string[]> {
      const firsts: string[] = []
      for (const better of ["alpha", "beta"]) {
        const world = await open()
        for (const name of ["alpha", "beta"]) {
          const text = `The ${name} kettle whistles`
          if (name === better) await prepare(world, text)
          // In another place, so that the two are never compared.
          else await keep(world, text, { confidence: 0.6, project: "one" })
        }
        const asked = { project: "one" }
        const { texts } = await ask({ ...world, embedder: undefined }, "Which kettle whistles?", asked)
        expect(texts).toHaveLength(2)
        firsts.push(texts[0] ?? "")
      }
      return firsts
    }
    const expected = ["The alpha kettle whistles", "The beta kettle whistles"]

    test("what is believed more comes first", async () => {
      const firsts = await firstOf((world, text) => world.remember(text, { confidence: 1, verbatim: true }))
      expect(firsts).toEqual(expected)
    })

    test("what was said more often comes first", async () => {
      const firsts = await firstOf(async (world, text) => {
        for (let index = 0; index < 6; index += 1) await world.remember(text, { confidence: 0.6 })
      })
      expect(firsts).toEqual(expected)
    })

    test("what was of use lately comes first", async () => {
      const firsts = await firstOf(async (world, text) => {
        const id = await keep(world, text, { confidence: 0.6 })
        await world.act((needs, by) => rateMemory(needs, id, "helpful", by))
      })
      expect(firsts).toEqual(expected)
    })

    test("but nothing of that overturns a clear winner", async () => {
      const world = await open()
      for (let index = 0; index < 40; index += 1) await world.remember("Kettles are sold in the market")
      const often = idOf(await world.remember("Kettles are sold in the market"))
      await world.act((needs, by) => rateMemory(needs, often, "helpful", by))
      await keep(world, "The red kettle stands behind the stove", { confidence: 0.2, source: "inferred" })
      expect((await ask(world, "Does the red kettle stand behind the stove?")).texts).toEqual([
        "The red kettle stands behind the stove",
        "Kettles are sold in the market",
      ])
    })
  })

  describe("two notes on one subject", () => {
    const earlier = "The nightly backup of the shop goes to the blue server"
    const later = "The nightly backup of the shop goes to the tape library in Oslo"
    const subject = "the nightly backup of the shop"

    const openWith = async (apartMs: number) => {
      const world = await open()
      const start = world.clock.now()
      const known = await keep(world, earlier, { createdAt: start - apartMs, confidence: 1 })
      await world.act((needs, by) => rateMemory(needs, known, "helpful", by))
      await keep(world, later, { createdAt: start, confidence: 0.6 })
      await keep(world, "Lunch is at noon", { createdAt: start })
      return world
    }

    test("the later comes first where the question does not tell them apart, and nothing is marked", async () => {
      const world = await openWith(21 * dayMs)
      const { hits, texts } = await ask(world, subject)
      expect(texts.slice(0, 2)).toEqual([later, earlier])
      expect(hits[0]?.score).toBeGreaterThanOrEqual(hits[1]?.score ?? 1)
      expect(hits.every(({ older }) => older === undefined)).toBe(true)
    })

    test("the earlier comes first where it is what was asked for", async () => {
      const world = await openWith(21 * dayMs)
      expect((await ask(world, "the blue server")).texts[0]).toBe(earlier)
    })

    test("notes of the same hour keep their order", async () => {
      const world = await openWith(20 * 60_000)
      expect((await ask(world, subject)).texts.slice(0, 2)).toEqual([earlier, later])
    })

    test("messages of a conversation keep their order", async () => {
      const world = await open()
      const start = world.clock.now()
      const say = (text: string, sessionId: string, messageIndex: number, createdAt: number) =>
        keep(world, text, { createdAt, sessionId, messageIndex })
      const known = await say(earlier, "s1", 1, start - 21 * dayMs)
      await say("Good to know, thank you", "s1", 2, start - 21 * dayMs)
      await world.act((needs, by) => rateMemory(needs, known, "helpful", by))
      await say(later, "s2", 1, start)
      await say("I see, so be it", "s2", 2, start)
      expect((await ask(world, subject)).texts.slice(0, 2)).toEqual([earlier, later])
    })

    test("what was said again since is the later one", async () => {
      const world = await openWith(21 * dayMs)
      await world.clock.advance(2 * dayMs)
      await world.remember(earlier)
      expect((await ask(world, subject)).texts.slice(0, 2)).toEqual([earlier, later])
    })
  })
})
