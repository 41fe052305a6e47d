import { describe, expect, it, onTestFinished, vi } from "vitest"
import type {
  Channel,
  ChannelEvent,
  ChatMessage,
  OutgoingMessage,
  RoomRef,
  SendResult,
} from "../../src/chat/channels/channel.ts"

/** A channel that is connected, and people on the other side. */
export interface ChannelWorld {
  channel: Channel
  /** The room all are in. */
  room: RoomRef
  /** Somebody says something in the room. */
  say(name: string, text: string): void | Promise<void>
  sayPrivately(name: string, text: string): void | Promise<void>
  /** Somebody replies to a message of ours; where the platform has replies. */
  reply?(name: string, to: string, text: string): void
  /** The texts of ours that the others see in the room, one for each message. */
  seen(): string[]
  /** The files of ours that the others got; where the platform takes them. */
  files?(): { name: string; type: string; bytes: Uint8Array }[]
  /** Cuts the connection; where there is one. It comes back by itself. */
  cut?(): void | Promise<void>
  /** Keeps it cut until the promise's function is called. */
  hold?(): Promise<() => void | Promise<void>>
  close(): void | Promise<void>
}

interface Kind {
  name: string
  /** Opens a world whose channel is not started yet. */
  open(): Promise<ChannelWorld>
  /** A mention of us as people type it there. */
  mention: string
}

const waiting = { timeout: 45_000, interval: 15 }

/** What every platform has to do alike. */
export function describeChannel(kind: Kind): void {
  const enter = async () => {
    const world = await kind.open()
    const events: ChannelEvent[] = []
    onTestFinished(async () => {
      await world.channel.stop()
      await world.close()
    })
    await world.channel.start((event) => events.push(event))
    const connections = () => events.filter(({ kind: what }) => what === "connected").length
    await vi.waitFor(() => expect(connections()).toBe(1), waiting)
    const messages = () => events.flatMap((event) => (event.kind === "message" ? event.message : []))
    const theirs = () => messages().filter(({ isOurs }) => !isOurs)
    const ours = () => messages().filter(({ isOurs }) => isOurs)
    const heard = async (text: string): Promise<ChatMessage> => {
      await vi.waitFor(() => expect(theirs().map((one) => one.text)).toContain(text), waiting)
      return theirs().find((one) => one.text === text) as ChatMessage
    }
    let keys = 0
    const send = (
      text: string,
      changes: Partial<OutgoingMessage> = {},
      signal = new AbortController().signal,
    ) => {
      keys += 1
      const outgoing = { text, key: `key ${keys}`, mayStillSend: () => true, ...changes }
      return world.channel.send(world.room, outgoing, signal)
    }
    return { ...world, events, connections, theirs, ours, heard, send }
  }

  describe(`the channel ${kind.name}`, () => {
    it("tells what people say, each once and in order, with who and where", async () => {
      const { say, theirs, heard, room } = await enter()
      const texts = Array.from({ length: 20 }, (_, index) => `message ${index}`)
      for (const text of texts) await say("ann", text)
      const last = await heard("message 19")
      expect(theirs().map(({ text }) => text)).toEqual(texts)
      expect(new Set(theirs().map(({ id }) => id)).size).toBe(20)
      expect(last).toMatchObject({ room, isPrivate: false, isOurs: false, isVoice: false, mentionsUs: false })
      expect(last.author).toMatchObject({ name: "ann", isBot: false })
      expect(last.author.id).not.toBe("")
    })

    it("keeps people apart, and knows the same one again", async () => {
      const { say, heard } = await enter()
      await say("ann", "one")
      await say("ben", "two")
      await say("ann", "three")
      const [one, two, three] = [await heard("one"), await heard("two"), await heard("three")]
      expect(three.author).toEqual(one.author)
      expect(two.author.id).not.toBe(one.author.id)
    })

    it("knows when we are meant", async () => {
      const { say, heard, theirs } = await enter()
      await say("ann", `${kind.mention} what do you think?`)
      await vi.waitFor(() => expect(theirs()).toHaveLength(1), waiting)
      expect(theirs()[0]).toMatchObject({ mentionsUs: true })
      await say("ann", "revereries are something else")
      expect(await heard("revereries are something else")).toMatchObject({ mentionsUs: false })
    })

    it("tells apart what is said to us alone, in a community of its own", async () => {
      const { sayPrivately, heard, room } = await enter()
      await sayPrivately("ann", "psst")
      const message = await heard("psst")
      expect(message.isPrivate).toBe(true)
      expect(message.room.community).toMatch(/^dm:/)
      expect(message.room.community).not.toBe(room.community)
    })

    it("says something, and tells it as ours, once and with the id it gave", async () => {
      const { send, ours, seen } = await enter()
      const sent = await send("hello all")
      expect(sent).toMatchObject({ outcome: "sent" })
      await vi.waitFor(() => expect(ours()).toHaveLength(1), waiting)
      expect(ours()[0]).toMatchObject({ text: "hello all", isOurs: true, id: idsOf(sent)[0] })
      await vi.waitFor(() => expect(seen()).toEqual(["hello all"]), waiting)
    })

    it("answers in private to the one who asked there, and nobody else sees it", async () => {
      const { sayPrivately, heard, channel, seen } = await enter()
      await sayPrivately("ann", "psst")
      const { room } = await heard("psst")
      const outgoing = { text: "quiet answer", key: "quiet", mayStillSend: () => true }
      expect(await channel.send(room, outgoing, new AbortController().signal)).toMatchObject({
        outcome: "sent",
      })
      expect(seen()).toEqual([])
    })

    it("knows a reply to us", async () => {
      const { channel, send, reply, heard } = await enter()
      if (!channel.capabilities.replies || reply === undefined) return
      const [id = ""] = idsOf(await send("tea or coffee?"))
      reply("ann", id, "tea")
      expect(await heard("tea")).toMatchObject({ replyTo: { id, isOurs: true }, mentionsUs: true })
    })

    it("splits what is too long, at its seams, and nothing of it is lost", async () => {
      const { send, seen, channel } = await enter()
      const { longestText, lengthUnit } = channel.capabilities
      const sentence = "The quick brown fox jumps over the lazy dog. "
      const text = sentence.repeat(Math.ceil((longestText * 2.5) / sentence.length)).trim()
      const sent = await send(text)
      await vi.waitFor(() => expect(seen().length).toBe(idsOf(sent).length), waiting)
      expect(seen().length).toBeGreaterThan(1)
      expect(seen().join(" ")).toBe(text)
      for (const part of seen())
        expect(lengthUnit === "bytes" ? Buffer.byteLength(part) : part.length).toBeLessThanOrEqual(
          longestText,
        )
    })

    it("says ten thousand characters without a single space in them", async () => {
      const { send, seen } = await enter()
      const text = "0123456789".repeat(1000)
      const sent = await send(text)
      expect(sent).not.toHaveProperty("cut")
      await vi.waitFor(() => expect(seen().join("")).toBe(text), waiting)
    })

    it("breaks no character, whether it counts bytes or characters", async () => {
      const { send, seen, channel } = await enter()
      const { longestText } = channel.capabilities
      for (const character of ["👨‍👩‍👧‍👦", "e\u0301", "漢", "🇩🇪"]) {
        const before = seen().length
        await send(character.repeat(Math.ceil((longestText * 1.2) / character.length)))
        await vi.waitFor(() => expect(seen().length).toBeGreaterThan(before + 1), waiting)
        for (const part of seen().slice(before)) expect(part.replaceAll(character, "")).toBe("")
      }
    })

    it("passes on what others write in any script", async () => {
      const { say, heard } = await enter()
      for (const text of ["grüße 👋🏽", "漢字とかな", "e\u0301tude", "שלום"]) {
        await say("ann", text)
        await heard(text)
      }
    })

    it("leaves out of what others write what nobody sees", async () => {
      const { say, theirs } = await enter()
      await say("ann", "be\u202efore\u200b \u0002bold\u0002 \u0007bell")
      await vi.waitFor(() => expect(theirs()).toHaveLength(1), waiting)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters meant
      expect(theirs()[0]?.text).not.toMatch(/[\u202e\u200b\u0000-\u0008\u000b-\u001f]/)
      expect(theirs()[0]?.text).toContain("bold")
    })

    it("sends text that looks like a command as text", async () => {
      const { send, seen, say, heard } = await enter()
      await send("one\r\nQUIT :gone\r\nPRIVMSG #other :two\u0000\u0001VERSION\u0001 @everyone <@1>")
      await vi.waitFor(() => expect(seen().join("\n")).toContain("PRIVMSG #other :two"), waiting)
      expect(seen().join("\n")).not.toContain("\u0001")
      await say("ann", "still here?")
      await heard("still here?")
    })

    it("asks before each part whether it may still be sent", async () => {
      const { send, seen, channel } = await enter()
      const long = "word ".repeat(channel.capabilities.longestText)
      expect(await send(long, { mayStillSend: () => false })).toMatchObject({ outcome: "refused" })
      expect(seen()).toEqual([])
      let asked = 0
      const once = () => {
        asked += 1
        return asked === 1
      }
      const sent = await send(long, { mayStillSend: once })
      expect(sent).toMatchObject({ outcome: "sent", cut: expect.stringContaining("cancelled") })
      await vi.waitFor(() => expect(seen()).toHaveLength(1), waiting)
    })

    it("refuses to say nothing", async () => {
      const { send } = await enter()
      expect(await send(" \n ")).toMatchObject({ outcome: "refused" })
    })

    it("sends a file along, or its link, or says that there is one", async () => {
      const { send, seen, channel, files } = await enter()
      const picture = {
        name: "fox.png",
        type: "image/png",
        bytes: Buffer.from("\x89PNG and so on", "latin1"),
      }
      const linked = { ...picture, name: "fox.gif", link: "https://gifs.example/fox" }
      expect(await send("a fox", { files: [picture] })).toMatchObject({ outcome: "sent" })
      expect(await send("another", { files: [linked] })).toMatchObject({ outcome: "sent" })
      if (channel.capabilities.files) {
        await vi.waitFor(() => expect(seen()).toEqual(["a fox", "another"]), waiting)
        expect(files?.()).toEqual([picture, linked].map(({ name, type, bytes }) => ({ name, type, bytes })))
        return
      }
      expect(channel.capabilities.largestFile).toBe(0)
      await vi.waitFor(() => expect(seen().join("\n")).toContain("https://gifs.example/fox"), waiting)
      expect(seen().join("\n")).toMatch(/a fox\s+\[fox\.png, 14 B: files cannot be sent here\]/)
      expect(seen().join("\n")).not.toContain("fox.gif")
    })

    it("keeps two long texts that are sent at once apart", async () => {
      const { send, seen, channel } = await enter()
      const long = (word: string) =>
        `${word} `.repeat(Math.ceil((channel.capabilities.longestText * 1.5) / 6))
      await Promise.all([send(long("first")), send(long("other"))])
      const words = () => seen().join(" ").trim().split(/\s+/)
      const total = long("first").trim().split(" ").length * 2
      await vi.waitFor(() => expect(words()).toHaveLength(total), waiting)
      const changes = words().filter((word, index, all) => index > 0 && word !== all[index - 1])
      expect(changes).toHaveLength(1)
    })

    it("takes a signal that aborted as no", async () => {
      const { send, seen } = await enter()
      expect(await send("late", {}, AbortSignal.abort())).toMatchObject({ outcome: "refused" })
      expect(seen()).toEqual([])
    })

    it("comes back after a cut, says so, and goes on", async () => {
      const { cut, connections, events, say, heard, send, seen } = await enter()
      if (cut === undefined) return
      await cut()
      await vi.waitFor(() => expect(connections()).toBe(2), waiting)
      expect(events.some(({ kind: what }) => what === "disconnected")).toBe(true)
      await say("ann", "are you back?")
      await heard("are you back?")
      expect(await send("yes")).toMatchObject({ outcome: "sent" })
      await vi.waitFor(() => expect(seen()).toEqual(["yes"]), waiting)
    })

    it("does not send while there is no connection, and does not send it later either", async () => {
      const { hold, connections, events, send, seen } = await enter()
      if (hold === undefined) return
      const release = await hold()
      await vi.waitFor(() => expect(events.at(-1)?.kind).toBe("disconnected"), waiting)
      const { outcome } = await send("into the void")
      expect(["refused", "unknown"]).toContain(outcome)
      await release()
      await vi.waitFor(() => expect(connections()).toBe(2), waiting)
      await send("after")
      await vi.waitFor(() => expect(seen()).toContain("after"), waiting)
      expect(seen()).toEqual(["after"])
    })

    it("stops while it sends, and tells nothing any more", async () => {
      const { channel, send, events } = await enter()
      const sending = send("word ".repeat(channel.capabilities.longestText * 3))
      await channel.stop()
      const count = events.length
      expect(["sent", "refused", "unknown"]).toContain((await sending).outcome)
      expect(await send("more")).toMatchObject({ outcome: "refused" })
      expect(events).toHaveLength(count)
    })
  })
}

function idsOf(sent: SendResult): string[] {
  return sent.outcome === "sent" ? sent.ids : []
}
