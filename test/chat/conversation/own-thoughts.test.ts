import { expect, test } from "vitest"
import { message } from "../../../testkit/chat/messages.ts"
import { script } from "../../../testkit/chat/script.ts"

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
  room.play({ kind: "restarted", reason: "The program was restarted.", isNewProcess: true })
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
