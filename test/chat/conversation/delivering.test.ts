import { describe, expect, test } from "vitest"
import { message } from "../../../testkit/chat/messages.ts"
import { say, script } from "../../../testkit/chat/script.ts"

const ids = (lines: readonly { id: string }[]) => lines.map(({ id }) => id)

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
      room.play({ kind: "restarted", reason: "The program was restarted.", isNewProcess: true })
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
      room.play({ kind: "restarted", reason: "The program was restarted.", isNewProcess: true })
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
