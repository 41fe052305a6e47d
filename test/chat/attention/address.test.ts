import { describe, expect, test } from "vitest"
import { addressOf } from "../../../src/chat/attention/address.ts"
import { commandIn } from "../../../src/chat/attention/command.ts"
import { message } from "../../../testkit/chat/messages.ts"

const names = ["Reverie", "Rev", "Dream Bot", "Грёза", "レヴェリー", "小梦", "ريفيري"]
const address = (text: string, given: Parameters<typeof message>[1] = {}) =>
  addressOf(message(text, given), names)

describe("a name addresses us", () => {
  test.each([
    "Reverie, what is the port?",
    "reverie what is the port?",
    "REVERIE: hi",
    "Reverie:hi",
    "@Reverie hi",
    "**Reverie** hi",
    "what is the port, Reverie?",
    "what do you think, rev",
    "thanks Reverie!!",
    "thank you, reverie 🙏",
    "Dream Bot, are you there?",
    "dream  bot: hi",
    "are you there, dream bot?",
    "Грёза, какой порт?",
    "какой порт, грёза?",
    "レヴェリー、ポートは？",
    "レヴェリーさん、ポートは？",
    "ポートは何ですか、レヴェリー？",
    "小梦，端口是多少？",
    "端口是多少，小梦？",
    "ريفيري، ما هو المنفذ؟",
    "Reverie你好",
    "Reverie",
    "Ｒｅｖｅｒｉｅ, hi",
  ])("%s", (text) => expect(address(text)).toBe("name"))
})

describe("a name does not address us", () => {
  test.each([
    "I use Reverie for that every day.",
    "Reverie's port is 7373",
    "Reverie’s port is 7373",
    "reveries are nice",
    "revenue is up",
    "Reverie-like tools are slow",
    "reverie_bot is another one",
    "reverie.dev is down",
    "Reverie/main is red",
    "see https://example.com/reverie",
    "see example.com/docs#reverie",
    "look at my-reverie",
    "mail ann@reverie",
    "the forever-rev",
    "it was a prerev",
    "some dreambot did it",
    "грёзами сыт не будешь",
    "",
    "...",
  ])("%s", (text) => expect(address(text)).toBeNull())
})

test("what the platform says counts before names", () => {
  expect(address("hi", { mentionsUs: true })).toBe("mention")
  expect(address("hi", { replyTo: { id: "m", isOurs: true }, mentionsUs: true })).toBe("reply")
  expect(address("hi", { isPrivate: true })).toBe("private")
  expect(address("hi", { replyTo: { id: "m", isOurs: false } })).toBeNull()
})

test("bots address nobody, and neither do we", () => {
  expect(address("Reverie, hi", { isBot: true, mentionsUs: true })).toBeNull()
  expect(address("Reverie, hi", { isOurs: true })).toBeNull()
})

describe("commands", () => {
  test.each([
    ["Reverie, mute", "mute"],
    ["@Reverie mute!", "mute"],
    ["mute please, Reverie", "mute"],
    ["Reverie please mute", "mute"],
    ["Reverie: unmute.", "unmute"],
    ["Reverie, leave this thread", "leave"],
    ["leave this thread, rev", "leave"],
    ["mute", "mute"],
  ])("%s is %s", (text, command) => expect(commandIn(text, names)).toBe(command))

  test.each(["Reverie, how do I mute a channel?", "Reverie, mute the music", "unmuted", "Reverie, hello"])(
    "%s is none",
    (text) => expect(commandIn(text, names)).toBeNull(),
  )
})
