import { describe, expect, test } from "vitest"
import { explainPolicy } from "../../../src/chat/policy/explain.ts"
import { openPolicy } from "../../../src/chat/policy/room-policy.ts"
import { hall, message } from "../../../testkit/chat/messages.ts"
import { chatConfig } from "../../../testkit/chat/script.ts"

const thread = { ...hall, thread: "t1" }
const elsewhere = { ...hall, channel: "desk" }
const policyOf = (policy: object, room = hall) => openPolicy(chatConfig({ policy }))(room)

describe("the lists", () => {
  test("allowed_channels: empty allows all, else only what is named, and what is listened in", () => {
    expect(policyOf({ allowed_channels: [] }, elsewhere).answers.allowed).toBe(true)
    expect(policyOf({ allowed_channels: ["lobby"] }, elsewhere).answers.allowed).toBe(false)
    expect(policyOf({ allowed_channels: ["lobby"] }).answers.allowed).toBe(true)
    expect(policyOf({ allowed_channels: ["TEST/desk"] }, elsewhere).answers.allowed).toBe(true)
  })

  test("blocked_channels wins, and threads go with their channel", () => {
    expect(
      policyOf({ blocked_channels: ["test/c1/hall"], discovery_channels: ["hall"] }, thread),
    ).toMatchObject({
      answers: { allowed: false },
      listens: { allowed: false },
      startsTopics: { allowed: false },
    })
  })

  test("ambient, reply and discovery channels", () => {
    expect(policyOf({ ambient_channels: [] }).listens.allowed).toBe(false)
    expect(policyOf({}, thread).listens.allowed).toBe(true)
    expect(policyOf({ reply_channels: ["desk"] }).speaksUnasked.allowed).toBe(false)
    expect(policyOf({ discovery_channels: [] }).startsTopics.allowed).toBe(false)
    expect(policyOf({ discovery_channels: ["*"] }).startsTopics.allowed).toBe(true)
  })

  test("people by id, alone or with their platform", () => {
    const { isBlocked, mayCommand } = policyOf({ blocked_users: ["test/mallory"], command_users: ["ann"] })
    expect(isBlocked({ id: "Mallory" })).toBe(true)
    expect(isBlocked({ id: "ann" })).toBe(false)
    expect(mayCommand({ id: "ann" })).toBe(true)
    expect(mayCommand({ id: "bob" })).toBe(false)
  })
})

describe("what would happen is told in sentences", () => {
  const explain = (policy: object, given: Parameters<typeof message>, room = hall) =>
    explainPolicy(chatConfig({ policy }), room, message(...given)).at(-1)

  test.each([
    [
      "an address",
      {},
      ["Reverie, hi"],
      /^This message would be answered at once: it begins or ends with its name\.$/,
    ],
    [
      "chatter where it listens",
      {},
      ["hi"],
      /would wait for a batch: it is read after about 60 s, or with 10/,
    ],
    [
      "chatter elsewhere",
      { ambient_channels: [] },
      ["hi"],
      /would be ignored.*ambient_channels does not name/,
    ],
    [
      "a blocked person",
      { blocked_users: ["ann"] },
      ["hi"],
      /would be ignored.*blocked_users names its author/,
    ],
    [
      "a blocked channel",
      { blocked_channels: ["hall"] },
      ["Reverie, hi"],
      /would be ignored.*blocked_channels names/,
    ],
    ["a command", {}, ["Reverie, mute"], /would be taken as the command mute/],
    ["a command of a stranger", { command_users: ["bob"] }, ["Reverie, mute"], /would be refused/],
    ["another bot", {}, ["hi", { isBot: true }], /another bot would be read along/],
    ["private messages", { private_messages: false }, ["hi", { isPrivate: true }], /private_messages is off/],
  ] as const)("%s", (_, policy, given, sentence) => {
    expect(explain(policy, [...given] as Parameters<typeof message>)).toMatch(sentence)
  })

  test("a room is told about before its message", () => {
    const sentences = explainPolicy(chatConfig(), thread)
    expect(sentences[0]).toMatch(/^This is a thread/)
    expect(sentences.join(" ")).toMatch(
      /It answers people who address it: .* It listens to everything else: .* It speaks unasked/,
    )
    expect(sentences.join(" ")).toMatch(
      /It does not start topics of its own: chat\.policy\.discovery_channels/,
    )
    expect(sentences.at(-1)).toMatch(/at most 500 times and for at most 1 US dollar a day/)
  })
})
