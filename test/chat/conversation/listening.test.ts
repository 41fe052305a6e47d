import { describe, expect, test } from "vitest"
import { message } from "../../../testkit/chat/messages.ts"
import { say, script, stay } from "../../../testkit/chat/script.ts"

const ids = (lines: readonly { id: string }[]) => lines.map(({ id }) => id)

describe("a batch", () => {
  test("is looked at after the interval, give or take a fifth", () => {
    for (const [chance, wait] of [
      [0, 48_000],
      [0.5, 60_000],
      [1, 72_000],
    ] as const) {
      const room = script()
      const begin = room.now()
      room.hear(message("hi"), chance)
      expect(room.state().flushAt).toBe(begin + wait)
      room.toDeadline()
      expect(room.runs()).toMatchObject([{ kind: "batch", omitted: 0 }])
    }
  })

  test("flush_interval_seconds changes when", () => {
    const room = script({ ambient: { flush_interval_seconds: 10 } })
    room.hear(message("hi"))
    expect(room.state().flushAt).toBe(room.now() + 10_000)
  })

  test("flush_max_messages brings it about at once; 1 means 1", () => {
    const room = script({ ambient: { flush_max_messages: 1 } })
    room.hear(message("hi"))
    expect(room.runs()).toHaveLength(1)
    const three = script({ ambient: { flush_max_messages: 3 } })
    three.hear(message("a"))
    three.hear(message("b"))
    expect(three.runs()).toHaveLength(0)
    three.hear(message("c"))
    expect(three.runs()[0]?.messages).toHaveLength(3)
  })

  test("flush_hard_cap lets the oldest go, and tells the model how many", () => {
    const room = script({ ambient: { flush_hard_cap: 3, flush_max_messages: 50, cooldown_seconds: 600 } })
    room.hear(message("first"))
    room.hear(message("first"))
    room.hear(message("first"))
    room.decide(stay)
    const sent = ["a", "b", "c", "d", "e"].map((text) => message(text))
    for (const one of sent) room.hear(one)
    expect(ids(room.state().buffer)).toEqual(ids(sent.slice(2)))
    room.toDeadline()
    room.wait(600_000)
    room.play({ kind: "deadline" })
    expect(room.runs().at(-1)).toMatchObject({ omitted: 2, messages: [{}, {}, {}] })
    expect(room.told("chat.dropped")[0]?.data).toEqual({ messages: ids(sent.slice(0, 2)) })
  })

  test("cooldown_seconds lets the room rest after it", () => {
    const room = script({ ambient: { flush_max_messages: 1, cooldown_seconds: 100 } })
    room.hear(message("a"))
    room.decide(stay)
    room.hear(message("b"))
    expect(room.runs()).toHaveLength(1)
    expect(room.state().flushAt).toBe(room.now() + 100_000)
    const eager = script({ ambient: { flush_max_messages: 1, cooldown_seconds: 0 } })
    eager.hear(message("a"))
    eager.decide(stay)
    eager.hear(message("b"))
    expect(eager.runs()).toHaveLength(2)
  })

  test("messages that come meanwhile make the next one, and none comes twice", () => {
    const room = script({ ambient: { cooldown_seconds: 0 } })
    const [a, b] = [message("a"), message("b")]
    room.hear(a)
    room.toDeadline()
    room.hear(b)
    room.hear(b)
    room.hear(a)
    room.decide(stay)
    room.toDeadline()
    expect(room.runs().map((run) => ids(run.messages))).toEqual([[a.id], [b.id]])
  })

  test("flush_timeout_seconds ends it and keeps it once", () => {
    const room = script({ ambient: { flush_timeout_seconds: 7, cooldown_seconds: 0 } })
    const a = message("a")
    room.hear(a)
    room.toDeadline()
    room.play({ kind: "run-started", run: room.state().run?.id ?? "" })
    expect(room.state().run?.deadline).toBe(room.now() + 7000)
    const effects = room.toDeadline()
    expect(effects).toContainEqual(expect.objectContaining({ kind: "abort-run" }))
    expect(ids(room.state().buffer)).toEqual([a.id])
    room.toDeadline()
    room.play({ kind: "run-started", run: room.state().run?.id ?? "" })
    room.toDeadline()
    expect(room.state()).toMatchObject({ buffer: [], run: null })
    room.wait(60_000)
    room.play({ kind: "deadline" })
    expect(room.told("chat.dropped")).toMatchObject([{ data: { messages: [a.id] } }])
    expect(room.told("chat.dropped")[0]?.reason).toMatch(/^It failed twice/)
  })

  test("of a room that may not be spoken in unasked ends in silence", () => {
    const room = script({ policy: { reply_channels: ["elsewhere"] }, ambient: { flush_max_messages: 1 } })
    room.hear(message("a"))
    room.decide(say("hello"))
    expect(room.sends()).toEqual([])
    expect(room.told("chat.silenced")[0]?.reason).toMatch(/reply_channels/)
  })

  test("is posted, and the room knows our words from then on", () => {
    const room = script({ ambient: { flush_max_messages: 1, cooldown_seconds: 0 } })
    room.hear(message("what is the port?"))
    room.decide(say("7373"))
    room.sent("own1")
    room.hear(message("thanks", { by: "bob" }))
    expect(room.runs()[1]?.history.map(({ text, isOurs }) => [text, isOurs])).toEqual([
      ["what is the port?", false],
      ["7373", true],
    ])
  })
})

describe("bots", () => {
  test("are read along, and bring nothing about", () => {
    const room = script({ ambient: { flush_max_messages: 1 } })
    const bot = message("build failed", { isBot: true, by: "ci", mentionsUs: true })
    room.hear(bot)
    expect(room.runs()).toEqual([])
    expect(room.state()).toMatchObject({ flushAt: null, mode: "ambient" })
    room.hear(message("oh no"))
    expect(ids(room.runs()[0]?.messages ?? [])).toContain(bot.id)
  })

  test("allow_bot_messages leaves them out", () => {
    const room = script({ ambient: { allow_bot_messages: false } })
    room.hear(message("build failed", { isBot: true }))
    expect(room.state().buffer).toEqual([])
    expect(room.state().aside[0]?.reason).toMatch(/allow_bot_messages/)
  })
})

describe("the conversation so far", () => {
  const talk = (changes: object, waits = 0) => {
    const room = script({ ambient: { flush_max_messages: 1, cooldown_seconds: 0, ...changes } })
    for (const text of ["a", "b", "c", "d", "e"]) {
      room.hear(message(text))
      room.decide(stay)
      room.wait(waits)
    }
    room.hear(message("f"))
    return room
      .runs()
      .at(-1)
      ?.history.map(({ text }) => text)
  }

  test("pool.context_flushes says how many batches it has", () => {
    expect(talk({})).toEqual(["c", "d", "e"])
    expect(talk({ pool: { context_flushes: 1 } })).toEqual(["e"])
    expect(talk({ pool: { context_flushes: 0 } })).toEqual([])
  })

  test("pool.session_ttl_minutes forgets it after silence", () => {
    expect(talk({ pool: { session_ttl_minutes: 1 } }, 61_000)).toEqual([])
    expect(talk({ pool: { session_ttl_minutes: 2 } }, 61_000)).toEqual(["c", "d", "e"])
  })

  test("is forgotten when the pool is full", () => {
    const room = script({ ambient: { flush_max_messages: 1 } })
    room.hear(message("a"))
    room.decide(stay)
    room.play({ kind: "context-forgotten", reason: "full" })
    expect(room.state().history).toEqual([])
  })
})

describe("edits and deletes", () => {
  test("change what is unread and what was read", () => {
    const room = script({ ambient: { flush_max_messages: 2, cooldown_seconds: 0 } })
    const [a, b, c] = [message("a"), message("b"), message("c")]
    room.hear(a)
    room.play({ kind: "edited", id: a.id, text: "A" })
    room.hear(b)
    expect(room.runs()[0]?.messages.map(({ text }) => text)).toEqual(["A", "b"])
    room.decide(stay)
    room.play({ kind: "edited", id: b.id, text: "B" })
    room.play({ kind: "deleted", ids: [a.id] })
    room.hear(c)
    room.play({ kind: "deleted", ids: [c.id] })
    expect(room.state()).toMatchObject({ buffer: [], flushAt: null, history: [{ text: "B" }] })
    expect(room.state().aside).toMatchObject([{ ids: [c.id], reason: "The message was deleted." }])
  })

  test("a run about nothing but deleted messages is stopped", () => {
    const room = script()
    const a = message("Reverie, what is my password?")
    room.hear(a)
    const effects = room.play({ kind: "deleted", ids: [a.id] })
    expect(effects).toContainEqual(expect.objectContaining({ kind: "abort-run" }))
    expect(room.state()).toMatchObject({ run: null, waiting: [] })
  })

  test("reactions are kept with the message", () => {
    const room = script()
    const a = message("a")
    room.hear(a)
    room.play({ kind: "reaction", id: a.id, author: a.author, emoji: "👍", added: true })
    expect(room.state().buffer[0]?.reactions).toEqual(["👍"])
    room.play({ kind: "reaction", id: a.id, author: a.author, emoji: "👍", added: false })
    expect(room.state().buffer[0]?.reactions).toEqual([])
  })
})

describe("switches", () => {
  test("enabled = false listens to nothing", () => {
    const room = script({ ambient: { enabled: false } })
    room.hear(message("a"))
    expect(room.state()).toMatchObject({ buffer: [], flushAt: null })
    expect(room.state().aside[0]?.reason).toMatch(/enabled is off/)
  })

  test("switching it off lets go of what is unread, and stops a batch", () => {
    const room = script()
    room.hear(message("a"))
    room.configure({ ambient: { enabled: false } })
    expect(room.state().buffer).toEqual([])
    const busy = script({ ambient: { flush_max_messages: 1 } })
    busy.hear(message("a"))
    busy.configure({ ambient: { enabled: false } })
    expect(busy.state()).toMatchObject({ run: null, buffer: [] })
    expect(busy.effects()).toContainEqual(expect.objectContaining({ kind: "abort-run" }))
  })

  test("lowering the cap holds at once", () => {
    const room = script()
    for (const text of ["a", "b", "c"]) room.hear(message(text))
    room.configure({ ambient: { flush_hard_cap: 1, flush_max_messages: 5 } })
    expect(room.state().buffer.length + (room.state().run?.messages.length ?? 0)).toBe(1)
  })

  test("blocked people reach nothing", () => {
    const room = script({ policy: { blocked_users: ["test/mallory"] } })
    room.hear(message("Reverie, my secret", { by: "mallory", mentionsUs: true }))
    expect(JSON.stringify(room.state())).not.toContain("secret")
    expect(room.runs()).toEqual([])
    expect(room.state().aside[0]?.reason).toBe("The policy blocks its author.")
  })
})
