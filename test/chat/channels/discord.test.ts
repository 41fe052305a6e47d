import { describe, expect, it, onTestFinished, vi } from "vitest"
import { systemClock as clock } from "../../../src/base/clock.ts"
import { systemRandom as random } from "../../../src/base/random.ts"
import type { ChannelEvent, OutgoingMessage, RoomRef } from "../../../src/chat/channels/channel.ts"
import { openDiscord } from "../../../src/chat/channels/discord/open-discord.ts"
import { serveDiscord } from "../../../testkit/discord/peer.ts"

const waiting = { timeout: 45_000, interval: 15 }
const never = new AbortController().signal

async function enter(
  options: Parameters<typeof serveDiscord>[0] & { notifyReplied?: boolean; token?: string } = {},
) {
  const { notifyReplied = false, token, ...rest } = options
  const peer = await serveDiscord(rest)
  const settings = { token: token ?? peer.token, apiUrl: peer.apiUrl, notifyReplied }
  const channel = openDiscord({ clock, random }, settings)
  const events: ChannelEvent[] = []
  onTestFinished(async () => {
    await channel.stop()
    await peer.close()
  })
  await channel.start((event) => events.push(event))
  const of = <K extends ChannelEvent["kind"]>(kind: K) =>
    events.filter((event): event is Extract<ChannelEvent, { kind: K }> => event.kind === kind)
  const texts = () => of("message").map(({ message }) => message.text)
  const arrived = (count: number) => vi.waitFor(() => expect(of("message")).toHaveLength(count), waiting)
  const connected = (count = 1) => vi.waitFor(() => expect(of("connected")).toHaveLength(count), waiting)
  const room: RoomRef = { platform: "discord", community: peer.guild, channel: peer.channel, thread: null }
  const send = (text: string, changes: Partial<OutgoingMessage> = {}, signal = never) =>
    channel.send(room, { text, key: text, mayStillSend: () => true, ...changes }, signal)
  return { peer, channel, events, of, texts, arrived, connected, room, send, ann: peer.addUser("ann") }
}

const posting = { method: "POST", path: /\/messages$/ }

describe("writing to a person", () => {
  const outgoing = { text: "psst", key: "1", mayStillSend: () => true }

  it("opens the private talk with them, in which they answer", async () => {
    const { peer, channel, of, arrived, connected, ann } = await enter()
    await connected()
    expect(await channel.sendTo?.(ann, outgoing, never)).toMatchObject({ outcome: "sent" })
    peer.say(peer.openDm(ann), ann, "yes?")
    await arrived(2)
    expect(of("message").map(({ message }) => message)).toMatchObject([
      { text: "psst", isOurs: true, isPrivate: true, room: { community: `dm:${ann}` } },
      { text: "yes?", isOurs: false, isPrivate: true, room: { community: `dm:${ann}` } },
    ])
  })

  it("says in one sentence that there is no such person", async () => {
    const { channel, connected } = await enter()
    await connected()
    const reason = "Discord knows no user with this id."
    expect(await channel.sendTo?.("1", outgoing, never)).toEqual({ outcome: "refused", reason })
  })
})

describe("signing in to Discord", () => {
  it("says in one sentence that the message content intent is missing", async () => {
    const { of } = await enter({ messageContent: "refused" })
    await vi.waitFor(() => expect(of("problem")).toHaveLength(1), waiting)
    expect(of("problem")[0]).toMatchObject({ isFatal: true, problem: /Message Content Intent/ })
  })

  it("says so too when contents come empty, once, and tells no empty messages", async () => {
    const { peer, of, arrived, connected, ann } = await enter({ messageContent: "stripped" })
    await connected()
    for (const text of ["one", "two"]) peer.say(peer.channel, ann, text)
    peer.say(peer.channel, ann, `<@${peer.bot}> three`)
    await arrived(1)
    expect(of("message")[0]?.message.text).toBe("@reverie three")
    expect(of("problem")).toEqual([
      expect.objectContaining({ isFatal: false, problem: expect.stringContaining("leaves out") }),
    ])
  })

  it("says that the token is wrong and does not try again", async () => {
    const { of, peer } = await enter({ token: "wrong.token.here" })
    await vi.waitFor(() => expect(of("problem")).toHaveLength(1), waiting)
    expect(of("problem")[0]).toMatchObject({ isFatal: true, problem: expect.stringContaining("token") })
    expect(peer.requests().filter(({ path }) => path === "/gateway/bot")).toHaveLength(1)
  })

  it("says that the token is wrong when the gateway finds out (4004)", async () => {
    const { of, connected, peer } = await enter()
    await connected()
    peer.closeWith(4004)
    await vi.waitFor(() => expect(of("problem")).toHaveLength(1), waiting)
    expect(of("problem")[0]).toMatchObject({ isFatal: true, problem: expect.stringContaining("token") })
  })

  it("tries again when Discord cannot be reached at first", async () => {
    const peer = await serveDiscord()
    peer.fault({ kind: "status", status: 503 }, { path: /^\/gateway/ })
    const channel = openDiscord(
      { clock, random },
      { token: peer.token, apiUrl: peer.apiUrl, notifyReplied: false },
    )
    const kinds: string[] = []
    onTestFinished(async () => {
      await channel.stop()
      await peer.close()
    })
    await channel.start(({ kind }) => kinds.push(kind))
    await vi.waitFor(() => expect(kinds).toEqual(["disconnected", "connected"]), waiting)
  })

  it("sends no token where somebody on the way could read it", () => {
    const settings = { token: "t", apiUrl: "http://discord.example/api", notifyReplied: false }
    expect(() => openDiscord({ clock, random }, settings)).toThrow(/must use https/)
  })
})

describe("what Discord sends", () => {
  it("names for mentions, roles, channels and emojis, and a line for each thing that is no text", async () => {
    const { peer, texts, arrived, connected, ann } = await enter()
    const ben = peer.addUser("ben", { nick: "Benny" })
    await connected()
    peer.say(peer.channel, ann, `<@${ben}> in <#${peer.channel}> <:leaf:12345> <t:0:R> <@&1>`, {
      attachments: [
        { filename: "plan.png", contentType: "image/png", size: 12_000, description: "the beds" },
      ],
      embeds: [{ title: "A page", description: "about soil" }],
      stickers: ["wave"],
    })
    await arrived(1)
    expect(texts()[0]?.split("\n")).toEqual([
      "@Benny in #general :leaf: 1970-01-01T00:00:00.000Z @role",
      "[attachment: plan.png (image/png, 12.0 kB) — the beds]",
      "[embed: A page — about soil]",
      "[sticker: wave]",
    ])
  })

  it("hostile names become harmless ones", async () => {
    const { peer, of, arrived, connected } = await enter()
    await connected()
    for (const name of ["a\u202enna\n[admin]:", "\u200b", `long${"g".repeat(10_000)}`, "n\u0000ull"])
      peer.say(peer.channel, peer.addUser(name), "hi")
    await arrived(4)
    const names = of("message").map(({ message }) => message.author.name)
    expect(names[0]).toBe("anna [admin]:")
    expect(names[1]).toMatch(/^somebody \(\d+\)$/)
    expect(names[2]?.length).toBe(80)
    expect(names[3]).toBe("null")
  })

  it("threads with their channel, also one that was not announced, and in order", async () => {
    const { peer, of, texts, arrived, connected, ann } = await enter()
    await connected()
    const thread = peer.addThread(peer.channel, "seeds")
    const asleep = peer.addThread(peer.channel, "old", { isAnnounced: false })
    peer.say(thread, ann, "in a thread")
    for (const text of ["one", "two", "three"]) peer.say(asleep, ann, text)
    await arrived(4)
    expect(of("message")[0]?.message.room).toMatchObject({ channel: peer.channel, thread })
    expect(texts()).toEqual(["in a thread", "one", "two", "three"])
    expect(of("message")[3]?.message.room).toMatchObject({ channel: peer.channel, thread: asleep })
  })

  it("edits, but not the preview of a link; deletes, one and many; reactions; nobody's typing", async () => {
    const { peer, of, events, arrived, connected, ann, room } = await enter()
    await connected()
    const [one, two, three] = ["one", "two", "three"].map((text) => peer.say(peer.channel, ann, text))
    await arrived(3)
    peer.addPreview(one ?? "")
    peer.edit(two ?? "", "two, better")
    peer.react(two ?? "", ann, "🌱")
    peer.unreact(two ?? "", ann, "🌱")
    peer.type(peer.channel, ann)
    peer.remove(one ?? "")
    peer.remove(two ?? "", three ?? "")
    await vi.waitFor(() => expect(of("deleted")).toHaveLength(2), waiting)
    expect(of("edited")).toEqual([expect.objectContaining({ room, id: two, text: "two, better" })])
    expect(of("deleted").map(({ ids }) => ids)).toEqual([[one], [two, three]])
    expect(of("reaction").map(({ id, emoji, added, author }) => [id, emoji, added, author.name])).toEqual([
      [two, "🌱", true, "ann"],
      [two, "🌱", false, "ann"],
    ])
    expect(events.map(({ kind }) => kind)).not.toContain("typing")
    expect(events.filter(({ kind }) => kind === "problem")).toEqual([])
  })

  it("other bots marked as bots, and what Discord itself tells left out", async () => {
    const { peer, of, arrived, connected, ann } = await enter()
    await connected()
    peer.say(peer.channel, ann, "", { type: 7 })
    peer.say(peer.channel, peer.addUser("helper", { isBot: true }), "beep")
    await arrived(1)
    expect(of("message")[0]?.message).toMatchObject({ text: "beep", author: { isBot: true } })
  })

  it("a message that comes twice is told once", async () => {
    const { peer, texts, arrived, connected, ann } = await enter()
    await connected()
    peer.say(peer.channel, ann, "once")
    peer.repeatLast()
    peer.say(peer.channel, ann, "then")
    await arrived(2)
    expect(texts()).toEqual(["once", "then"])
  })
})

describe("when the connection to Discord breaks", () => {
  it("resumes without loss or repeats, and nothing has to be fetched", async () => {
    const { peer, of, texts, arrived, connected, ann } = await enter()
    await connected()
    peer.say(peer.channel, ann, "before")
    await arrived(1)
    peer.cut()
    await peer.until(() => peer.connected() === 0)
    for (const text of ["while", "it was", "away"]) peer.say(peer.channel, ann, text)
    await connected(2)
    expect(texts()).toEqual(["before", "while", "it was", "away"])
    expect(of("connected")[1]).toMatchObject({ mayHaveMissed: false })
    expect(peer.counts).toMatchObject({ identified: 1, resumed: 1 })
  })

  it("says that something may have been missed when the session is gone, and history has it", async () => {
    const { peer, channel, of, room, arrived, connected, ann } = await enter()
    await connected()
    const last = peer.say(peer.channel, ann, "before")
    await arrived(1)
    peer.forgetSessions()
    peer.cut()
    await peer.until(() => peer.connected() === 0)
    for (let index = 0; index < 150; index += 1) peer.say(peer.channel, ann, `missed ${index}`)
    await connected(2)
    expect(of("connected")[1]).toMatchObject({ mayHaveMissed: true })
    const missed = await channel.history(room, { limit: 500, after: last })
    expect(missed.map(({ text }) => text)).toEqual(
      Array.from({ length: 150 }, (_, index) => `missed ${index}`),
    )
    const newest = await channel.history(room, { limit: 2 })
    expect(newest.map(({ text }) => text)).toEqual(["missed 148", "missed 149"])
    expect(newest[0]?.room).toEqual(room)
  })

  it("waits for history when Discord says so, and says why there is none", async () => {
    const { peer, channel, of, room, connected, ann } = await enter()
    await connected()
    peer.say(peer.channel, ann, "before")
    peer.fault({ kind: "rate-limited", retryAfterMs: 200 }, { method: "GET", path: /messages$/ })
    expect(await channel.history(room, { limit: 5 })).toHaveLength(1)
    expect(await channel.history({ ...room, channel: "123" }, { limit: 5 })).toEqual([])
    expect(of("problem")[0]).toMatchObject({
      isFatal: false,
      problem: expect.stringContaining("does not exist"),
    })
  })

  it("connects anew when Discord asks for it, or voids the session", async () => {
    const { peer, of, connected } = await enter()
    await connected()
    peer.askToReconnect()
    await connected(2)
    expect(of("connected")[1]).toMatchObject({ mayHaveMissed: false })
    peer.invalidate(false)
    await connected(3)
    expect(of("connected")[2]).toMatchObject({ mayHaveMissed: true })
  })

  it("leaves a connection on which nobody answers", async () => {
    const { peer, connected, texts, arrived, ann } = await enter({ heartbeatMs: 300 })
    await connected()
    await peer.until(() => peer.counts.heartbeats > 0)
    peer.answerHeartbeats(false)
    await peer.until(() => peer.counts.resumed > 0)
    peer.answerHeartbeats(true)
    peer.say(peer.channel, ann, "there?")
    await arrived(1)
    expect(texts()).toEqual(["there?"])
  })
})

describe("sending to Discord", () => {
  it("pings nobody, and the one it replies to only if that is wanted", async () => {
    const quiet = await enter()
    await quiet.connected()
    const to = quiet.peer.say(quiet.peer.channel, quiet.ann, "hello?")
    await quiet.send(`@everyone @here <@${quiet.ann}> hi`, { replyTo: to })
    expect(quiet.peer.posts()[0]).toMatchObject({
      replyTo: to,
      allowedMentions: { parse: [], replied_user: false },
    })
    const loud = await enter({ notifyReplied: true })
    await loud.connected()
    await loud.send("hi")
    expect(loud.peer.posts()[0]).toMatchObject({ allowedMentions: { parse: [], replied_user: true } })
  })

  it("posts once although the answer was lost, and gives the id", async () => {
    const { peer, connected, send } = await enter()
    await connected()
    peer.fault({ kind: "dropped", isTaken: true }, posting)
    const sent = await send("hello")
    expect(peer.posts()).toHaveLength(1)
    expect(sent).toEqual({ outcome: "sent", ids: [peer.posts()[0]?.id] })
    expect(peer.requests().filter(({ method }) => method === "POST")).toHaveLength(2)
  })

  it("does not know when answers are lost to the end, and does not ask again once it may not", async () => {
    const { peer, connected, send } = await enter()
    await connected()
    peer.fault({ kind: "dropped", isTaken: true }, { ...posting, times: 9 })
    expect(await send("hello")).toMatchObject({ outcome: "unknown" })
    expect(peer.posts()).toHaveLength(1)
    let asked = 0
    expect(await send("other", { mayStillSend: () => ++asked === 1 })).toMatchObject({ outcome: "unknown" })
    expect(peer.posts()).toHaveLength(2)
  })

  it("says the same key once, even when it is asked twice", async () => {
    const { peer, connected, send } = await enter()
    await connected()
    const [one, two] = [await send("hello", { key: "k" }), await send("hello", { key: "k" })]
    expect(two).toEqual(one)
    expect(peer.posts()).toHaveLength(1)
  })

  it.each([false, true])("waits as long as a limit says (global: %s)", async (isGlobal) => {
    const { peer, connected, send } = await enter()
    await connected()
    peer.fault({ kind: "rate-limited", retryAfterMs: 300, isGlobal }, posting)
    expect(await send("hello")).toMatchObject({ outcome: "sent" })
    expect(peer.posts()).toHaveLength(1)
  })

  it("gives back what has to wait too long, with how long", async () => {
    const { peer, connected, send } = await enter()
    await connected()
    peer.fault({ kind: "rate-limited", retryAfterMs: 600_000 }, posting)
    const sent = await send("hello")
    expect(sent).toMatchObject({ outcome: "refused", retryAfterMs: expect.any(Number) })
    expect(sent.outcome === "refused" && (sent.retryAfterMs ?? 0)).toBeGreaterThanOrEqual(600_000)
    expect(peer.posts()).toEqual([])
  })

  it("tries again after 5xx, and says it does not know when that goes on", async () => {
    const { peer, connected, send } = await enter()
    await connected()
    peer.fault({ kind: "status", status: 502 }, posting)
    expect(await send("one")).toMatchObject({ outcome: "sent" })
    peer.fault({ kind: "status", status: 502 }, { ...posting, times: 9 })
    expect(await send("two")).toMatchObject({ outcome: "unknown" })
  })

  it("says which permission is missing", async () => {
    const { peer, connected, send } = await enter()
    await connected()
    peer.forbid(peer.channel)
    expect(await send("hello")).toMatchObject({
      outcome: "refused",
      reason: expect.stringContaining("Send Messages"),
    })
  })

  it("is stopped in the middle of a slow answer", async () => {
    const { peer, channel, connected, send } = await enter()
    await connected()
    const answer = Promise.withResolvers<void>()
    peer.fault({ kind: "slow", until: answer.promise, isTaken: true }, posting)
    const sending = send("hello")
    await peer.until(() => peer.posts().length === 1)
    await channel.stop()
    expect(await sending).toMatchObject({ outcome: "unknown" })
    answer.resolve()
  })

  it("puts its answer into the thread, reacts, and shows that it writes until it has", async () => {
    const { peer, channel, connected, room, ann } = await enter()
    await connected()
    const thread = peer.addThread(peer.channel, "seeds")
    const message = peer.say(thread, ann, "hello?")
    const there = { ...room, thread }
    const writing = new AbortController()
    channel.typing(there, writing.signal)
    await peer.until(() => peer.typings().length === 1)
    writing.abort()
    await channel.send(there, { text: "hi", key: "1", mayStillSend: () => true }, never)
    expect(peer.posts()[0]).toMatchObject({ channel: thread })
    expect(await channel.react(there, message, "🌱")).toMatchObject({ outcome: "sent" })
    expect(peer.reactions()).toEqual([{ message, emoji: "🌱" }])
    expect(await channel.react(there, "1", "🌱")).toMatchObject({ outcome: "refused" })
  })
})

describe("files to Discord", () => {
  const png = (size = 20) => ({ name: "fox.png", type: "image/png", bytes: Buffer.alloc(size, 7) })
  const gif = { ...png(), name: "fox.gif", type: "image/gif", link: "https://gifs.example/fox" }
  const uploads = (peer: Awaited<ReturnType<typeof serveDiscord>>) =>
    peer.posts().map(({ text, files }) => [text, ...files.map(({ name }) => name)])

  it("go with the last part of a long text, once although the answer was lost", async () => {
    const { peer, connected, send } = await enter()
    await connected()
    const long = "word ".repeat(500).trim()
    peer.fault({ kind: "dropped", isTaken: true }, { ...posting, times: 2 })
    expect(await send(long, { files: [png()] })).toMatchObject({ outcome: "sent" })
    expect(peer.posts().map(({ files }) => files.length)).toEqual([0, 1])
    expect(peer.posts()[1]).toMatchObject({ files: [{ type: "image/png" }], allowedMentions: { parse: [] } })
  })

  it("need no text", async () => {
    const { peer, connected, send } = await enter()
    await connected()
    expect(await send("", { key: "k", files: [png()] })).toMatchObject({ outcome: "sent" })
    expect(uploads(peer)).toEqual([["", "fox.png"]])
  })

  it("stay back where the permissions take Attach Files from us, and links come instead", async () => {
    const { peer, channel, room, connected, send } = await enter()
    await connected()
    expect(channel.mayAttach?.(room)).toBe(true)
    peer.forbidFiles(peer.channel)
    await vi.waitFor(() => expect(channel.mayAttach?.(room)).toBe(false), waiting)
    const thread = { ...room, thread: peer.addThread(peer.channel, "in it") }
    expect(channel.mayAttach?.(thread)).toBe(false)
    await send("look", { files: [png()] })
    await send("or here", { files: [gif] })
    expect(uploads(peer)).toEqual([["look"], ["or here\nhttps://gifs.example/fox"]])
    expect(peer.requests().filter(({ method }) => method === "POST")).toHaveLength(2)
  })

  it("stay back after Discord took none, although the permissions said it would", async () => {
    const { peer, channel, room, connected, send } = await enter()
    await connected()
    peer.forbidFiles(peer.channel, { isTold: false })
    expect(await send("look", { files: [png()] })).toMatchObject({ outcome: "sent" })
    expect(uploads(peer)).toEqual([["look"]])
    expect(channel.mayAttach?.(room)).toBe(false)
  })

  it("stay back where they are too large", async () => {
    const { peer, connected, send, channel } = await enter()
    await connected()
    await send("large", {
      files: [png(channel.capabilities.largestFile + 1), { ...png(), name: "small.png" }],
    })
    expect(uploads(peer)).toEqual([["large", "small.png"]])
  })
})
