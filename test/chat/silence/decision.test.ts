import { describe, expect, test } from "vitest"
import { cleanForSending } from "../../../src/chat/silence/clean.ts"
import { readDecision } from "../../../src/chat/silence/decision.ts"

const reply = { action: "reply", text: "The port is 7373.", replyTo: "m7", reason: "asked" }
const json = JSON.stringify(reply)

describe("a structured decision", () => {
  test.each([
    ["plain", json],
    ["in a fence", `\`\`\`json\n${json}\n\`\`\``],
    ["in a fence without a language", `\`\`\`\n${json}\n\`\`\``],
    ["as a string", JSON.stringify(json)],
    ["as a string in a fence", `\`\`\`json\n${JSON.stringify(json)}\n\`\`\``],
    ["behind prose", `Here is my decision: ${json}`],
    ["after thinking", `<think>asked me</think>${json}`],
    ["in final tags", `<final>${json}</final>`],
    [
      "with other names",
      '{"Action":"x","action":"POST_NOW","text":"The port is 7373.","reply_to":"m7","reason":"asked"}',
    ],
    ["with fields nobody knows", json.replace("{", '{"confidence":0.9,')],
  ])("is read %s", (_, raw) => {
    expect(readDecision(raw)).toEqual(reply)
  })

  test.each([
    ["silent", '{"action":"silent","reason":"small talk"}', "small talk"],
    ["no_reply", '{"action":"NO_REPLY"}', "It decided to stay silent."],
    ["a reply without text", '{"action":"reply","text":""}', "The model was asked, and it said nothing."],
    ["a sentinel as text", '{"action":"reply","text":"[NO_REPLY]","reason":"chatter"}', "chatter"],
    [
      "an error as text",
      '{"action":"reply","text":"Error: 429 Too Many Requests"}',
      "The model was asked, and it gave an error instead of an answer.",
    ],
    ["a reaction without emoji", '{"action":"react"}', "It decided to stay silent."],
    ["cut off", '{"action":"reply","text":"The po', "Its decision could not be read."],
    ["cut off in a fence", '```json\n{"action":"reply","text":"The po', "Its decision could not be read."],
    ["an unknown action", '{"action":"dance","text":"hello"}', "Its decision could not be read."],
  ])("%s is silence", (_, raw, reason) => {
    expect(readDecision(raw)).toEqual({ action: "silent", reason })
  })

  test("a reply may plan a picture; a plan that cannot be read leaves the words alone", () => {
    const reply = (media: unknown) => readDecision(JSON.stringify({ action: "reply", text: "Look.", media }))
    const words = { action: "reply", text: "Look.", replyTo: null, reason: "" }
    expect(reply({ kind: "image", prompt: "a fox" })).toEqual({
      ...words,
      media: { kind: "image", prompt: "a fox" },
    })
    for (const media of [undefined, null, "a fox", { kind: "opera", prompt: "x" }, []])
      expect(reply(media)).toEqual(words)
    expect(readDecision('{"action":"silent","media":{"kind":"gif","prompt":"x"}}')).not.toHaveProperty(
      "media",
    )
  })

  test("reactions and held drafts keep what they carry", () => {
    expect(readDecision('{"action":"react","emoji":"👍","replyTo":42}')).toEqual({
      action: "react",
      emoji: "👍",
      to: "42",
      reason: "",
    })
    expect(readDecision('{"action":"hold","text":"later","reason":"busy"}')).toEqual({
      action: "hold",
      text: "later",
      reason: "busy",
    })
  })

  test("other JSON is something said", () => {
    expect(readDecision('{"port": 7373}')).toMatchObject({ action: "reply", text: '{"port": 7373}' })
  })

  test("without a decision the text counts", () => {
    expect(readDecision("It is 7373.")).toMatchObject({ action: "reply", text: "It is 7373." })
    expect(readDecision("Nothing to add. [NO_REPLY]")).toMatchObject({ action: "silent" })
  })
})

describe("what is sent", () => {
  test("calls nobody together", () => {
    const sent = cleanForSending("@everyone and @here, <@&123> <@!9> <!channel> look")
    expect(sent).not.toMatch(/@everyone|@here|<@&123>|<@!9>|<!channel>/)
    expect(sent.replaceAll("\u2060", "")).toBe("@everyone and @here, <@&123> <@!9> <!channel> look")
  })

  test("leaves addresses and code alone", () => {
    expect(cleanForSending("mail ann@example.com, a < b > c")).toBe("mail ann@example.com, a < b > c")
  })

  test("hides nothing and wastes no lines", () => {
    expect(cleanForSending("one\u200b\n\n\n\n two ")).toBe("one\n\n two")
  })

  test("ends at a sentence when it is too long", () => {
    const long = `${"A sentence here. ".repeat(50)}`
    const sent = cleanForSending(long, 200)
    expect(sent.length).toBeLessThanOrEqual(200)
    expect(sent).toMatch(/here\. …$/)
  })
})
