import { mkdtempSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { silentLog } from "../../../src/base/log.ts"
import type { Channel, ChannelEvent, ChatMessage } from "../../../src/chat/channels/channel.ts"
import { reduce } from "../../../src/chat/conversation/reduce.ts"
import { openInstructions } from "../../../src/chat/listening/instructions.ts"
import { openChatStore } from "../../../src/chat/supervisor/store.ts"
import { openSupervisor, type SupervisorNeeds } from "../../../src/chat/supervisor/supervisor.ts"
import type { ThinkInput } from "../../../src/chat/supervisor/think.ts"
import { readJournal } from "../../../src/storage/journal.ts"
import { openDatabase } from "../../../src/storage/open-database.ts"
import { createMemoryStore } from "../../../testkit/chat/memory-store.ts"
import { hall, message } from "../../../testkit/chat/messages.ts"
import { chatConfig, say } from "../../../testkit/chat/script.ts"
import { createSimulationClock, ready } from "../../../testkit/chat/simulation/clock.ts"
import { createSeededRandom } from "../../../testkit/seeded-random.ts"

const past = [
  message("before", { at: 1 }),
  message("blocked", { by: "mallory", at: 2 }),
  message("bot", { isBot: true, at: 3 }),
]

/** A room that does what it is told, and a model that waits to be told. */
async function room(changes: Record<string, unknown> = {}, more: Partial<SupervisorNeeds> = {}) {
  const clock = createSimulationClock()
  const store = createMemoryStore()
  const posts: string[] = []
  const asked: { input: ThinkInput; answer(text: string): void; signal: AbortSignal }[] = []
  let tell = (_: ChannelEvent) => {}
  const channel: Channel = {
    platform: "test",
    capabilities: {
      ...{
        reactions: true,
        typing: true,
        history: true,
        replies: true,
      },
      ...{
        longestText: 2000,
        lengthUnit: "characters",
        files: false,
        largestFile: 0,
        direct: false,
      },
    },
    async start(onEvent) {
      tell = onEvent
    },
    history: async (_, { limit }) => past.slice(-limit),
    async send(_, { text, mayStillSend }) {
      if (!mayStillSend()) return { outcome: "refused", reason: "kept back" }
      posts.push(text)
      return { outcome: "sent", ids: [`own${posts.length}`] }
    },
    react: async () => ({ outcome: "sent", ids: [] }),
    typing() {},
    async stop() {},
  }
  const supervisor = await openSupervisor({
    ...{ clock: clock.live(), random: createSeededRandom(1), log: silentLog, store, channels: [channel] },
    ...{ chat: chatConfig(changes), instructions: () => null },
    think: (input, signal) =>
      new Promise((resolve) => {
        const answer = (text: string) =>
          resolve({ outcome: "decided", decision: say(text), usd: 0.4, debug: { shown: "s", raw: text } })
        asked.push({ input, answer, signal })
      }),
    ...more,
  })
  await supervisor.start()
  const hear = async (...messages: ChatMessage[]) => {
    for (const one of messages) tell({ kind: "message", message: { ...one, at: clock.now() } })
    await ready()
  }
  return { clock, store, posts, asked, supervisor, hear, tell: (event: ChannelEvent) => tell(event) }
}

const at = (channel: string) => ({ ...hall, channel })

test("max_concurrent_flushes bounds batches; answers have places of their own", async () => {
  const many = {
    policy: { ambient_channels: ["*"] },
    ambient: { flush_max_messages: 1, max_concurrent_flushes: 2 },
  }
  const { hear, asked, supervisor } = await room(many)
  await hear(...["a", "b", "c", "d"].map((name) => message("hi", { room: at(name) })))
  expect(asked).toHaveLength(2)
  expect(supervisor.status().slots).toEqual({ answers: 0, others: 2, waiting: 2 })
  await hear(message("Reverie?", { room: at("e") }))
  expect(asked.map(({ input }) => input.kind)).toEqual(["batch", "batch", "direct"])
  supervisor.configure(chatConfig({ ...many, ambient: { flush_max_messages: 1, max_concurrent_flushes: 3 } }))
  await ready()
  expect(asked).toHaveLength(4)
})

test("a run that takes too long is aborted, and its place is free", async () => {
  const { hear, asked, clock, supervisor } = await room({
    ambient: { flush_max_messages: 1, flush_timeout_seconds: 5 },
  })
  await hear(message("hi"))
  await clock.advance(5000)
  expect(asked[0]?.signal.aborted).toBe(true)
  expect(supervisor.status().slots).toEqual({ answers: 0, others: 0, waiting: 0 })
})

test("context_window fetches what was said before, without whom the policy leaves out", async () => {
  const changes = {
    policy: { blocked_users: ["mallory"] },
    ambient: { flush_max_messages: 1, allow_bot_messages: false },
  }
  const first = await room(changes)
  await first.hear(message("hi"))
  expect(first.asked[0]?.input.earlier.map(({ text }) => text)).toEqual(["before"])
  const none = await room({ ...changes, ambient: { ...changes.ambient, context_window: 0 } })
  await none.hear(message("hi"))
  expect(none.asked[0]?.input.earlier).toEqual([])
})

test("calls_per_day and usd_per_day end the asking, politely for whoever addressed it", async () => {
  for (const policy of [{ calls_per_day: 1 }, { usd_per_day: 0.3 }]) {
    const { hear, asked, posts } = await room({ policy })
    await hear(message("Reverie, a?"))
    asked[0]?.answer("A")
    await ready()
    await hear(message("Reverie, b?"))
    expect(asked).toHaveLength(1)
    expect(posts).toEqual(["A", expect.stringMatching(/^Sorry/)])
  }
})

test("debug keeps what was shown and answered in the journal", async () => {
  for (const debug of [true, false]) {
    const { hear, asked, store } = await room({ ambient: { debug } })
    await hear(message("Reverie, a?"))
    asked[0]?.answer("[NO_REPLY]")
    await ready()
    const entry = store.journal.find(({ kind }) => kind === "chat.silenced")
    expect(JSON.stringify(entry?.data ?? {}).includes("debug")).toBe(debug)
  }
})

test("pool.max_sessions forgets the room that was quiet longest", async () => {
  const changes = {
    policy: { ambient_channels: ["*"] },
    ambient: { flush_max_messages: 1, pool: { max_sessions: 1 } },
  }
  const { hear, asked, store } = await room(changes)
  for (const name of ["a", "b"]) {
    await hear(message("hi", { room: at(name) }))
    asked.at(-1)?.answer("hello")
    await ready()
  }
  expect(store.journal.filter(({ kind }) => kind === "chat.forgotten").map((one) => one.room)).toEqual([
    "test/c1/a",
  ])
})

test("one bad conversation is restarted, says so, and stops no other", async () => {
  const failing: typeof reduce = (state, event, settings) => {
    if (event.kind === "message" && event.message.text === "poison") throw new Error("fell over")
    return reduce(state, event, settings)
  }
  const { hear, asked, store } = await room({}, { reduce: failing })
  const poison = message("poison")
  await hear(poison, message("Reverie, a?", { room: at("other") }), message("Reverie, b?"))
  expect(asked).toHaveLength(2)
  const told = store.journal.find(({ kind }) => kind === "chat.restarted")
  expect(told).toMatchObject({ reason: expect.stringMatching(/fell over/), data: { messages: [poison.id] } })
})

test("a mention that waits to be worked through keeps an older answer back", async () => {
  const { hear, asked, posts, tell, clock } = await room()
  await hear(message("Reverie, a?"))
  asked[0]?.answer("A")
  tell({ kind: "message", message: { ...message("Reverie, b?"), at: clock.now() } })
  await ready()
  expect(posts).toEqual([])
  expect(asked[1]?.input.messages.map(({ text }) => text)).toEqual(["Reverie, a?", "Reverie, b?"])
})

test("states, counts and journal entries survive in the database", async () => {
  const clock = createSimulationClock().live()
  const random = createSeededRandom(5)
  const file = join(mkdtempSync(join(tmpdir(), "chat store ")), "store.db")
  const db = await openDatabase({ url: "", file, clock, random, log: silentLog })
  const store = openChatStore({ db, random })
  const { hear, asked, supervisor } = await room({}, { store })
  await hear(message("Reverie, a?"))
  await supervisor.settled()
  while (asked.length === 0) await ready()
  asked[0]?.answer("A")
  for (let turn = 0; turn < 50; turn += 1) await ready()
  await supervisor.settled()
  const kinds = (await readJournal(db, { kind: "chat." })).map(({ kind }) => kind)
  expect(kinds).toEqual(["chat.promoted", "chat.asked", "chat.replied"])
  expect(await store.load("test/c1/hall")).toMatchObject({ mode: "active", run: null })
  const [entry] = await readJournal(db, { kind: "chat.asked" })
  expect(await store.usageOf(new Date(entry?.at ?? 0).toISOString().slice(0, 10))).toEqual([
    { platform: "test", community: "c1", calls: 1, microUsd: 400_000 },
  ])
  await supervisor.stop()
  await db.close()
})

test("instructions_file: the first 2,000 characters, read anew when it changes", () => {
  const file = join(mkdtempSync(join(tmpdir(), "instructions ")), "ambient.md")
  const chat = chatConfig({ ambient: { instructions_file: file } })
  const read = openInstructions({ env: { userHome: "" }, paths: { configFile: "" }, config: { chat } })
  expect(read()).toBeNull()
  writeFileSync(file, "é".repeat(3000))
  expect(read()).toBe("é".repeat(2000))
  writeFileSync(file, "be kind")
  utimesSync(file, 1, 1)
  expect(read()).toBe("be kind")
})
