import { describe, expect, test } from "vitest"
import type { RoomRef } from "../../../src/chat/channels/channel.ts"
import { hall, message } from "../../../testkit/chat/messages.ts"
import { say, script, stay } from "../../../testkit/chat/script.ts"

const ids = (lines: readonly { id: string }[]) => lines.map(({ id }) => id)

describe("a mention", () => {
  test("is answered at once, with a typing sign, and takes the unread along as background", () => {
    const room = script()
    const [a, b] = [message("a"), message("b", { by: "bob" })]
    room.hear(a)
    room.hear(b)
    const call = message("Reverie, what do you think?")
    const effects = room.hear(call)
    expect(effects.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["typing", "start-run"]))
    expect(room.runs()).toMatchObject([
      { kind: "direct", messages: [{ id: call.id }], background: [{ id: a.id }, { id: b.id }] },
    ])
    expect(room.state()).toMatchObject({ buffer: [], flushAt: null, mode: "active" })
  })

  test("stops a batch under way, and nothing of it is lost or answered twice", () => {
    const room = script({ ambient: { flush_max_messages: 1, cooldown_seconds: 0 } })
    const a = message("a")
    room.hear(a)
    const batch = room.state().run?.id ?? ""
    const call = message("Reverie?")
    const effects = room.hear(call)
    expect(effects).toContainEqual(expect.objectContaining({ kind: "abort-run", run: batch }))
    expect(ids(room.runs()[1]?.background ?? [])).toEqual([a.id])
    room.play({ kind: "run-ended", run: batch, result: { outcome: "decided", decision: say("too late") } })
    expect(room.sends()).toEqual([])
    room.decide(say("here"))
    room.sent("own")
    expect(room.sends().map(({ text }) => text)).toEqual(["here"])
    expect(room.state()).toMatchObject({ run: null, buffer: [] })
  })

  test("a newer one joins the older one in one answer", () => {
    const room = script()
    const [first, second] = [message("Reverie, a?"), message("Reverie, b?", { by: "bob" })]
    room.hear(first)
    room.hear(second)
    expect(ids(room.runs()[1]?.messages ?? [])).toEqual([first.id, second.id])
    expect(room.runs()[1]?.epoch).toBeGreaterThan(room.runs()[0]?.epoch ?? 0)
  })

  test("while words are leaving waits for them", () => {
    const room = script()
    room.hear(message("Reverie, a?"))
    room.decide(say("A"))
    const { epoch } = room.state()
    const second = message("Reverie, b?", { by: "bob" })
    room.hear(second)
    expect(room.state().epoch).toBeGreaterThan(epoch)
    expect(room.runs()).toHaveLength(1)
    room.sent("own")
    expect(ids(room.runs()[1]?.messages ?? [])).toEqual([second.id])
  })

  test("that keeps words back has both answered", () => {
    const room = script()
    const [first, second] = [message("Reverie, a?"), message("Reverie, b?", { by: "bob" })]
    room.hear(first)
    room.decide(say("A"))
    const run = room.state().run?.id ?? ""
    room.hear(second)
    room.play({ kind: "sent", run, result: { outcome: "refused", reason: "kept back" }, wasHeldBack: true })
    expect(ids(room.runs()[1]?.messages ?? [])).toEqual([first.id, second.id])
  })

  test("later messages make a new batch", () => {
    const room = script()
    room.hear(message("Reverie, a?"))
    const later = message("b", { by: "bob" })
    room.hear(later)
    room.decide(say("A"))
    room.sent("own")
    room.toDeadline()
    expect(room.runs().map(({ kind }) => kind)).toEqual(["direct", "batch"])
    expect(ids(room.runs()[1]?.messages ?? [])).toEqual([later.id])
  })

  test("where nothing may be answered is put aside", () => {
    const room = script({ policy: { blocked_channels: ["hall"] } })
    room.hear(message("Reverie?", { mentionsUs: true }))
    expect(room.runs()).toEqual([])
    expect(room.state().mode).toBe("ambient")
    expect(room.state().aside[0]?.reason).toMatch(/blocked_channels/)
  })

  test("private messages are direct, and private_messages switches them off", () => {
    const room = script()
    room.hear(message("hi", { isPrivate: true }))
    expect(room.runs()).toMatchObject([{ kind: "direct" }])
    const off = script({ policy: { private_messages: false } })
    off.hear(message("hi", { isPrivate: true }))
    expect(off.runs()).toEqual([])
  })
})

describe("a follow-up", () => {
  const answered = (changes = {}) => {
    const room = script(changes)
    room.hear(message("Reverie, a?"))
    room.decide(say("A"))
    room.sent("own")
    return room
  }

  test("of the person it answered needs no mention", () => {
    const room = answered()
    room.hear(message("and b?"))
    expect(room.runs().map(({ kind }) => kind)).toEqual(["direct", "follow-up"])
  })

  test("of others is none", () => {
    const room = answered()
    room.hear(message("and b?", { by: "bob" }))
    expect(room.runs()).toHaveLength(1)
  })

  test("to somebody else is none", () => {
    const room = answered()
    room.hear(message("you are right", { replyTo: { id: "x", isOurs: false } }))
    expect(room.runs()).toHaveLength(1)
  })

  test("active_messages: attention fades as others talk on", () => {
    const room = answered({ attention: { active_messages: 1 } })
    room.hear(message("x", { by: "bob" }))
    expect(room.state().mode).toBe("active")
    room.hear(message("y", { by: "bob" }))
    expect(room.state().mode).toBe("ambient")
    expect(room.told("chat.faded")).toMatchObject([{ reason: "Other people moved the conversation on." }])
    room.hear(message("and b?"))
    expect(room.runs()).toHaveLength(1)
  })

  test("active_messages = 0 wants a mention every time", () => {
    const room = answered({ attention: { active_messages: 0 } })
    room.hear(message("and b?"))
    expect(room.runs()).toHaveLength(1)
  })

  test("active_minutes: attention fades with time", () => {
    const room = answered({ attention: { active_minutes: 2 }, ambient: { enabled: false } })
    room.wait(119_000)
    room.play({ kind: "deadline" })
    expect(room.state().mode).toBe("active")
    room.wait(1000)
    room.play({ kind: "deadline" })
    expect(room.state().mode).toBe("ambient")
  })

  test("bots do not make it fade", () => {
    const room = answered({ attention: { active_messages: 1 } })
    for (const text of ["x", "y", "z"]) room.hear(message(text, { isBot: true, by: "ci" }))
    expect(room.state().mode).toBe("active")
  })

  test("that stays unanswered does not renew attention", () => {
    const room = answered()
    room.wait(200_000)
    room.hear(message("ok"))
    room.decide(stay)
    room.wait(101_000)
    room.play({ kind: "deadline" })
    expect(room.state().mode).toBe("ambient")
  })
})

describe("commands", () => {
  const thread: RoomRef = { ...hall, thread: "t1" }

  test("mute stops everything until unmute", () => {
    const room = script()
    room.hear(message("a"))
    room.hear(message("Reverie, b?"))
    const effects = room.hear(message("Reverie, mute", { by: "bob" }))
    expect(effects).toContainEqual(expect.objectContaining({ kind: "abort-run" }))
    expect(room.state()).toMatchObject({ isMuted: true, mode: "off", run: null, buffer: [], waiting: [] })
    room.hear(message("Reverie, c?"))
    expect(room.runs()).toHaveLength(1)
    room.hear(message("Reverie, unmute"))
    room.hear(message("Reverie, d?"))
    expect(room.runs()).toHaveLength(2)
  })

  test("mute while words are leaving: what is kept back stays unsaid", () => {
    const room = script()
    room.hear(message("Reverie, b?"))
    room.decide(say("B"))
    const run = room.state().run?.id ?? ""
    room.hear(message("Reverie, mute"))
    room.play({ kind: "sent", run, result: { outcome: "refused", reason: "kept back" }, wasHeldBack: true })
    expect(room.runs()).toHaveLength(1)
    expect(room.state()).toMatchObject({ run: null, waiting: [] })
  })

  test("command_users: only people named may", () => {
    const room = script({ policy: { command_users: ["ann"] } })
    room.hear(message("Reverie, mute", { by: "bob" }))
    expect(room.state().isMuted).toBe(false)
    expect(room.told("chat.command-refused")).toHaveLength(1)
    room.hear(message("Reverie, mute", { by: "ann" }))
    expect(room.state().isMuted).toBe(true)
  })

  test("leave this thread leaves a thread, until somebody addresses it again", () => {
    const room = script({}, thread)
    room.hear(message("Reverie, leave this thread"))
    expect(room.state()).toMatchObject({ hasLeft: true, mode: "off" })
    room.hear(message("chatter"))
    expect(room.state().buffer).toEqual([])
    room.hear(message("Reverie, come back please?"))
    expect(room.state()).toMatchObject({ hasLeft: false, run: { kind: "direct" } })
  })

  test("a channel is not left", () => {
    const room = script()
    room.hear(message("Reverie, leave this thread"))
    expect(room.state().hasLeft).toBe(false)
    expect(room.runs()).toHaveLength(1)
  })
})

describe("when no model can be asked", () => {
  test("a direct question is tried twice, then told so once", () => {
    const room = script()
    room.hear(message("Reverie, a?"))
    room.fail()
    expect(room.runs()).toHaveLength(2)
    room.fail()
    expect(room.sends()).toMatchObject([{ text: expect.stringMatching(/^Sorry/) }])
    room.sent("own")
    room.hear(message("Reverie, b?"))
    room.fail("over budget", false)
    expect(room.sends()).toHaveLength(1)
    expect(room.state().run).toBeNull()
  })

  test("a batch over budget is dropped with the reason and nobody is told", () => {
    const room = script({ ambient: { flush_max_messages: 1 } })
    room.hear(message("a"))
    room.fail("The calls are used up.", false)
    expect(room.sends()).toEqual([])
    expect(room.state().aside).toMatchObject([{ reason: "The calls are used up." }])
  })

  test("sentinels and errors never leave", () => {
    for (const text of ["[NO_REPLY]", "Nothing to add. [NO_REPLY]", "Error: 429 Too Many Requests", "  "]) {
      const room = script()
      room.hear(message("Reverie, a?"))
      room.decide(say(text))
      expect(room.sends()).toEqual([])
      expect(room.told("chat.silenced")).toHaveLength(1)
    }
  })

  test("a held draft is shown to the next run", () => {
    const room = script({ ambient: { flush_max_messages: 1, cooldown_seconds: 0 } })
    room.hear(message("a"))
    room.decide({ action: "hold", text: "later", reason: "busy" })
    room.hear(message("b"))
    expect(room.runs()[1]?.held).toBe("later")
  })

  test("a reaction goes to a message", () => {
    const room = script({ ambient: { flush_max_messages: 1 } })
    const a = message("we shipped!")
    room.hear(a)
    room.decide({ action: "react", emoji: "🎉", to: null, reason: "good news" })
    expect(room.effects()).toContainEqual(
      expect.objectContaining({ kind: "react", message: a.id, emoji: "🎉" }),
    )
  })
})
