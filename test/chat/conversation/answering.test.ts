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
    expect(room.told("chat.faded")).toMatchObject([{ reason: "Others have talked on." }])
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

describe("sending", () => {
  const leaving = () => {
    const room = script()
    room.hear(message("Reverie, a?"))
    room.decide(say("A"))
    return room
  }
  const result = (room: ReturnType<typeof script>, outcome: object) =>
    room.play({
      ...{ kind: "sent" as const, run: room.state().run?.id ?? "", wasHeldBack: false },
      result: outcome as { outcome: "unknown"; reason: string },
    })

  test("a platform that asks to wait is obeyed once", () => {
    const room = leaving()
    result(room, { outcome: "refused", reason: "slow down", retryAfterMs: 5000 })
    room.toDeadline()
    expect(room.sends()).toHaveLength(2)
    expect(new Set(room.sends().map(({ key }) => key)).size).toBe(1)
    result(room, { outcome: "refused", reason: "slow down", retryAfterMs: 5000 })
    expect(room.state().run).toBeNull()
    expect(room.told("chat.refused")).toHaveLength(1)
  })

  test("nobody knows: it is looked for and never said again", () => {
    const room = leaving()
    const run = room.state().run?.id ?? ""
    const effects = result(room, { outcome: "unknown", reason: "cut" })
    expect(effects).toContainEqual({ kind: "fetch-history", run })
    room.play({ kind: "checked", run, found: [message("A", { isOurs: true, at: room.now() })] })
    expect(room.told("chat.replied")).toHaveLength(1)
    const lost = leaving()
    result(lost, { outcome: "unknown", reason: "cut" })
    lost.play({ kind: "checked", run: lost.state().run?.id ?? "", found: [message("B", { isOurs: true })] })
    expect(lost.told("chat.unconfirmed")).toHaveLength(1)
    expect(lost.sends()).toHaveLength(1)
  })

  test("a platform that never answers is not waited for", () => {
    const room = leaving()
    room.toDeadline()
    expect(room.state().run?.phase).toBe("checking")
    room.toDeadline()
    expect(room.state().run).toBeNull()
  })
})

describe("after a restart", () => {
  const restarted = { kind: "restarted", reason: "Started anew." } as const

  test("an unanswered mention is answered", () => {
    const room = script()
    const call = message("Reverie, a?")
    room.hear(call)
    room.play(restarted)
    expect(ids(room.runs()[1]?.messages ?? [])).toEqual([call.id])
    room.decide(say("A"))
    room.sent("own")
    expect(room.told("chat.replied")).toHaveLength(1)
  })

  test("not for ever, if each start fails", () => {
    const room = script()
    room.hear(message("Reverie, a?"))
    for (let time = 0; time < 5; time += 1) room.play(restarted)
    expect(room.runs()).toHaveLength(3)
    expect(room.state().run).toBeNull()
  })

  test("words that may have left are looked for", () => {
    const room = script()
    room.hear(message("Reverie, a?"))
    room.decide(say("A"))
    const effects = room.play(restarted)
    expect(effects).toContainEqual(expect.objectContaining({ kind: "fetch-history" }))
    expect(room.sends()).toHaveLength(1)
  })

  describe("an answer that never arrived", () => {
    const question = message("Reverie, a?")
    /** A new process finds these messages in the room. */
    const found = (...others: ReturnType<typeof message>[]) => {
      const room = script({ policy: { blocked_users: ["mallory"] } })
      room.hear(question)
      room.decide(say("A"))
      const run = room.state().run?.id ?? ""
      room.play({ kind: "restarted", reason: "The program was started anew.", isNewProcess: true })
      room.play({ kind: "checked", run, found: [message("Reverie, z?"), question, ...others] })
      return room
    }

    test("is said by a new process", () => {
      const room = found(message("chatter"), message("Reverie, b?", { by: "mallory" }))
      expect(room.sends().map(({ text }) => text)).toEqual(["A", "A"])
    })

    test("is not said after a newer mention that the old process did not store", () => {
      const room = found(message("Reverie, b?", { by: "bob" }))
      expect(room.sends()).toHaveLength(1)
      expect(room.told("chat.aborted")).toHaveLength(1)
      expect(room.runs().at(-1)).toMatchObject({ kind: "direct", messages: [{ id: question.id }] })
    })

    test("is not said after a newer mention that is too old to be answered", () => {
      const room = script()
      room.hear(question)
      room.decide(say("A"))
      const run = room.state().run?.id ?? ""
      const newer = message("Reverie, b?", { at: room.now() })
      room.wait(8 * 3_600_000)
      room.play({ kind: "restarted", reason: "The program was started anew.", isNewProcess: true })
      room.play({ kind: "reconnected", missed: [newer] })
      room.play({ kind: "checked", run, found: [question, newer] })
      expect(room.sends()).toHaveLength(1)
    })
  })

  test("a batch is read again once", () => {
    const room = script({ ambient: { flush_max_messages: 1, cooldown_seconds: 0 } })
    const a = message("a")
    room.hear(a)
    room.play(restarted)
    expect(ids(room.runs()[1]?.messages ?? [])).toEqual([a.id])
    room.play(restarted)
    expect(room.state()).toMatchObject({ run: null, buffer: [] })
  })

  test("its deadline is set again", () => {
    const room = script()
    room.hear(message("a"))
    expect(room.play(restarted)).toContainEqual({ kind: "deadline", at: room.state().flushAt })
  })
})

test("after a cut: who addressed it is answered, the rest is background, old things are left", () => {
  const room = script()
  const seen = message("seen")
  room.hear(seen)
  const at = room.now()
  const [old, call, chatter] = [
    message("Reverie, old?", { at: at - 7 * 3_600_000 }),
    message("Reverie, new?", { at }),
    message("chatter", { at, by: "bob" }),
  ]
  room.play({ kind: "reconnected", missed: [seen, old, call, chatter] })
  expect(room.runs()).toMatchObject([{ kind: "direct", messages: [{ id: call.id }] }])
  expect(ids(room.runs()[0]?.background ?? [])).toEqual([seen.id, chatter.id])
  expect(room.state().aside).toMatchObject([{ ids: [old.id] }])
})

const thought = {
  kind: "say",
  run: "fresh thought",
  key: "t1-1",
  text: "The release is out. @everyone",
  replyTo: null,
  reason: "news",
} as const
const mayBegin = { policy: { discovery_channels: ["hall"] } }
const ended = (room: ReturnType<typeof script>) => room.state().own?.map(({ delivery }) => delivery.outcome)

test("something of our own is said once, and calls nobody together", () => {
  const room = script(mayBegin)
  const effects = room.play(thought)
  const sent = effects.find((effect) => effect.kind === "send")
  expect(sent).toMatchObject({ key: "t1-1", replyTo: null })
  expect(JSON.stringify(sent)).not.toContain("@everyone")
  expect(room.play(thought).filter(({ kind }) => kind === "send")).toEqual([])
  expect(room.sent("p1")).toContainEqual({
    kind: "own-ended",
    key: "t1-1",
    delivery: { outcome: "posted", posts: ["p1"] },
  })
  expect(room.play(thought).filter(({ kind }) => kind === "send")).toEqual([])
  expect(room.state().recent?.map(({ id }) => id)).toEqual(["p1"])
})

test("nothing of our own is said in an exchange, where it is muted, or where it may not begin subjects", () => {
  const busy = script(mayBegin)
  busy.hear(message("Reverie?"))
  busy.play(thought)
  expect(ended(busy)).toEqual(["kept back"])
  const muted = script(mayBegin)
  muted.play({ kind: "command", command: "mute", by: "ann" })
  muted.play(thought)
  expect(ended(muted)).toEqual(["kept back"])
  const elsewhere = script()
  elsewhere.play(thought)
  expect(ended(elsewhere)).toEqual(["kept back"])
  expect(elsewhere.state().recent).toBeUndefined()
})

test("somebody who addresses us comes before something of our own that is leaving", () => {
  const room = script(mayBegin)
  room.play(thought)
  const run = room.state().run?.id ?? ""
  room.hear(message("Reverie?"))
  const result = { outcome: "refused", reason: "kept" } as const
  room.play({ kind: "sent", run, result, wasHeldBack: true })
  expect(ended(room)).toEqual(["kept back"])
  expect(room.runs()).toMatchObject([{ kind: "direct" }])
})

test("something of our own that may have left before a restart is looked for, and never said again", () => {
  const room = script(mayBegin)
  room.play(thought)
  room.play({ kind: "restarted", reason: "The program was started anew.", isNewProcess: true })
  const run = room.state().run?.id ?? ""
  room.play({ kind: "checked", run, found: [] })
  expect(ended(room)).toEqual(["unknown"])
})

test("what was said where we may begin subjects is kept until it is deleted or its author wants it forgotten", () => {
  const room = script(mayBegin)
  const [one, two, three] = [message("one"), message("two", { by: "bob" }), message("three")]
  for (const each of [one, two, three]) room.hear(each)
  room.play({ kind: "edited", id: one.id, text: "uno" })
  expect(room.state().recent?.map(({ text }) => text)).toEqual(["uno", "two", "three"])
  room.play({ kind: "deleted", ids: [three.id] })
  room.play({ kind: "author-forgotten", author: two.author.id })
  expect(room.state().recent?.map(({ text }) => text)).toEqual(["uno"])
})
