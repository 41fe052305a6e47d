import { describe, expect, it, onTestFinished, vi } from "vitest"
import { systemClock as clock } from "../../../src/base/clock.ts"
import { systemRandom as random } from "../../../src/base/random.ts"
import type { ChannelEvent, OutgoingMessage } from "../../../src/chat/channels/channel.ts"
import type { IrcSettings } from "../../../src/chat/channels/irc/connection.ts"
import { isTarget, linesOf, plainLine } from "../../../src/chat/channels/irc/lines.ts"
import { openIrc } from "../../../src/chat/channels/irc/open-irc.ts"
import { createPace } from "../../../src/chat/channels/irc/pace.ts"
import { hasNgircd, startNgircd } from "../../../testkit/irc/ngircd.ts"
import { joinRaw } from "../../../testkit/irc/raw-client.ts"
import { serveSasl } from "../../../testkit/irc/sasl-server.ts"
import { createManualClock } from "../../../testkit/manual-clock.ts"

const waiting = { timeout: 45_000, interval: 15 }
const never = new AbortController().signal

const usual: IrcSettings = {
  host: "127.0.0.1",
  port: 6667,
  tls: false,
  tlsFingerprint: "",
  nick: "reverie",
  channels: ["#garden"],
  account: "",
  password: "",
  secondsBetweenLines: 0,
}

async function enter(changes: Partial<IrcSettings>) {
  const channel = openIrc({ clock, random }, { ...usual, ...changes })
  const events: ChannelEvent[] = []
  onTestFinished(() => channel.stop())
  await channel.start((event) => events.push(event))
  const of = <K extends ChannelEvent["kind"]>(kind: K) =>
    events.filter((event): event is Extract<ChannelEvent, { kind: K }> => event.kind === kind)
  const connected = (count = 1) => vi.waitFor(() => expect(of("connected")).toHaveLength(count), waiting)
  const arrived = (count: number) => vi.waitFor(() => expect(of("message")).toHaveLength(count), waiting)
  const problem = () =>
    vi.waitFor(() => expect(of("problem")).not.toEqual([]), waiting).then(() => of("problem")[0])
  const room = { platform: "irc", community: "127.0.0.1", channel: "#garden", thread: null }
  const send = (text: string, more: Partial<OutgoingMessage> = {}, to = "#garden") =>
    channel.send({ ...room, channel: to }, { text, key: text, mayStillSend: () => true, ...more }, never)
  return { channel, events, of, connected, arrived, problem, room, send }
}

async function serve(options: Parameters<typeof startNgircd>[0] = {}) {
  const server = await startNgircd(options)
  onTestFinished(() => server.close())
  return server
}

async function person(port: number, nick: string, channel = "#garden") {
  const client = await joinRaw(port, nick, channel)
  onTestFinished(client.close)
  return client
}

describe("lines of IRC", () => {
  it("carry one line each, and nothing that a server or a client takes for a command", () => {
    expect(linesOf("a\r\nQUIT\r\n\u0001DCC SEND x\u0001\n\n\u0000b", "reverie", "#garden")).toEqual([
      "a",
      "QUIT",
      "DCC SEND x",
      "b",
    ])
    expect(linesOf("/me waves", "reverie", "#garden")).toEqual(["\u0001ACTION waves\u0001"])
    for (const line of linesOf("漢".repeat(500), "reverie", "#garden"))
      expect(
        Buffer.byteLength(`:reverie!~${"u".repeat(10)}@${"h".repeat(63)} PRIVMSG #garden :${line}\r\n`),
      ).toBeLessThanOrEqual(512)
  })

  it("lose their colours", () => {
    expect(plainLine("\u000304,12red\u000f \u0002bold\u0002 \u0004ff0000x\u001d\u001f!")).toBe("red bold x!")
  })

  it("go to channels and nicks only", () => {
    for (const target of ["#garden", "ann", "&local"]) expect(isTarget(target)).toBe(true)
    for (const target of ["", "a b", "#a,#b", "#a\r\nQUIT", ":x", "a\u00a0b", "x".repeat(300)])
      expect(isTarget(target)).toBe(false)
  })

  it("go five at once, then one after each pause", async () => {
    const manual = createManualClock()
    const pace = createPace(manual, 2000)
    let gone = 0
    for (let index = 0; index < 7; index += 1) void pace(never).then(() => (gone += 1))
    await manual.advance(0)
    expect(gone).toBe(5)
    await manual.advance(2000)
    expect(gone).toBe(6)
    await manual.advance(2000)
    expect(gone).toBe(7)
  })
})

describe("signing in to IRC", () => {
  it("signs in with SASL before it joins", async () => {
    const server = await serveSasl({ gardener: "s3cret words" })
    onTestFinished(server.close)
    const { connected } = await enter({ port: server.port, account: "gardener", password: "s3cret words" })
    await connected()
    expect(server.seen.join("\n")).not.toMatch(/^PASS/m)
    expect(server.seen.findIndex((line) => line.startsWith("AUTHENTICATE"))).toBeLessThan(
      server.seen.findIndex((line) => line.startsWith("JOIN")),
    )
  })

  it("says once that the account's password is wrong, and does not try again", async () => {
    const server = await serveSasl({ gardener: "right" })
    onTestFinished(server.close)
    const { problem, of } = await enter({ port: server.port, account: "gardener", password: "wrong" })
    expect(await problem()).toMatchObject({ isFatal: true, problem: expect.stringContaining("gardener") })
    expect(server.seen.filter((line) => line.startsWith("NICK"))).toHaveLength(1)
    expect(of("connected")).toEqual([])
  })

  it("gives no password where it could be read on the way", () => {
    const settings = { ...usual, host: "irc.example.org", password: "p" }
    expect(() => openIrc({ clock, random }, settings)).toThrow(/chat\.irc\.tls/)
  })
})

describe.skipIf(!hasNgircd())("with Debian's ngircd", () => {
  it("speaks TLS with the certificate it was told of, and with no other", async () => {
    const server = await serve({ tls: true })
    const good = await enter({ port: server.tlsPort, tls: true, tlsFingerprint: server.fingerprint })
    await good.connected()
    const bad = await enter({
      port: server.tlsPort,
      tls: true,
      tlsFingerprint: "00".repeat(32),
      nick: "other",
    })
    await vi.waitFor(
      () => expect(bad.of("disconnected")[0]?.reason).toContain("is not chat.irc.tls_fingerprint"),
      waiting,
    )
    const unsigned = await enter({ port: server.tlsPort, tls: true, nick: "third" })
    await vi.waitFor(() => expect(unsigned.of("disconnected")[0]?.reason).toMatch(/self.signed/), waiting)
    expect([...bad.of("connected"), ...unsigned.of("connected")]).toEqual([])
  })

  it("gives the server its password, and says so when it is wrong", async () => {
    const server = await serve({ password: "open" })
    const good = await enter({ port: server.port, password: "open" })
    await good.connected()
    const bad = await enter({ port: server.port, password: "wrong", nick: "other" })
    expect(await bad.problem()).toMatchObject({ isFatal: true, problem: expect.stringContaining("password") })
  })

  it("takes another nick where its own is taken, is meant by both, and takes its own back", async () => {
    const server = await serve()
    const holder = await person(server.port, "reverie")
    const ann = await person(server.port, "ann")
    const { connected, arrived, of, send } = await enter({ port: server.port })
    await connected()
    await send("hello")
    await ann.sees(/^:reverie_!\S+ PRIVMSG #garden :hello$/)
    ann.say("#garden", "reverie: you?")
    ann.say("#garden", "reverie_: or you?")
    await arrived(3)
    expect(of("message").map(({ message }) => message.mentionsUs)).toEqual([false, true, true])
    holder.write("QUIT")
    await ann.sees(/^:reverie_!\S+ NICK :?reverie$/)
    await send("back")
    await ann.sees(/^:reverie!\S+ PRIVMSG #garden :back$/)
  })

  it("joins several channels, with keys, and says which it cannot join", async () => {
    const server = await serve()
    const ann = await person(server.port, "ann", "#locked")
    ann.write("MODE #locked +k sesame")
    await ann.sees(/ MODE #locked \+k/)
    const { connected, of } = await enter({ port: server.port, channels: ["#garden", "#locked", "#shed"] })
    await connected()
    expect(of("problem")).toEqual([
      expect.objectContaining({
        isFatal: false,
        problem: expect.stringContaining("#locked needs a different key"),
      }),
    ])
    const other = await enter({ port: server.port, channels: ["#locked sesame"], nick: "other" })
    await other.connected()
    expect(other.of("problem")).toEqual([])
  })

  it("hears actions, and no notices, requests of clients, joins or quits", async () => {
    const server = await serve()
    const { connected, arrived, of } = await enter({ port: server.port })
    await connected()
    const ann = await person(server.port, "ann")
    ann.write("NOTICE #garden :beep")
    ann.write("NOTICE reverie :beep")
    ann.say("reverie", "\u0001VERSION\u0001")
    ann.say("#garden", "\u0001PING 1\u0001")
    ann.say("#garden", "\u0001ACTION waves\u0001")
    ann.write("QUIT :bye")
    await arrived(1)
    expect(of("message")[0]?.message.text).toBe("* ann waves")
    expect(ann.heard().filter(({ from }) => from === "reverie")).toEqual([])
  })

  it("lets nothing it says become a command, and no target either", async () => {
    const server = await serve()
    const ann = await person(server.port, "ann")
    const { connected, send } = await enter({ port: server.port, channels: ["#garden", "#other"] })
    await connected()
    expect(await send("x", {}, "#garden :x\r\nJOIN #other")).toMatchObject({ outcome: "refused" })
    await send("hi\r\nJOIN #evil\r\nPART #garden\u0001DCC\u0001")
    await vi.waitFor(
      () => expect(ann.heard().map(({ text }) => text)).toEqual(["hi", "JOIN #evil", "PART #gardenDCC"]),
      waiting,
    )
    expect(ann.lines.filter((line) => /^:reverie\S* (PART|JOIN #evil)/.test(line))).toEqual([])
  })

  it("says whom it answers, and that nobody is there", async () => {
    const server = await serve()
    const ann = await person(server.port, "ann")
    const { connected, arrived, of, send } = await enter({ port: server.port })
    await connected()
    ann.say("#garden", "what grows in shade?")
    await arrived(1)
    const replyTo = of("message")[0]?.message.id
    await send("ferns", { replyTo })
    await ann.sees(/ PRIVMSG #garden :ann: ferns$/)
    expect(await send("hello?", {}, "nobody")).toMatchObject({
      outcome: "refused",
      reason: expect.stringContaining("nobody"),
    })
    expect(await send("hello?", {}, "#closed")).toMatchObject({ outcome: "refused" })
  })

  it("takes a netsplit for what it is: no chat, and nothing is lost behind it", async () => {
    const hub = await serve({ name: "hub.test.example" })
    const leaf = await serve({ name: "leaf.test.example", linkTo: { name: hub.name, port: hub.port } })
    const far = await person(leaf.port, "far")
    const near = await person(hub.port, "near")
    const { connected, arrived, of } = await enter({ port: hub.port })
    await connected()
    // Each server learns in its own time who is in the channel on the other one.
    await near.sees(/^:far!\S+ JOIN|353 .*\bfar\b/)
    await far.sees(/^:reverie!\S+ JOIN|353 .*\breverie\b/)
    far.say("#garden", "from afar")
    await arrived(1)
    await leaf.kill()
    await near.sees(/^:far!\S+ QUIT/)
    near.say("#garden", "they are gone")
    await arrived(2)
    expect(of("message").map(({ message }) => message.text)).toEqual(["from afar", "they are gone"])
    expect([...of("disconnected"), ...of("problem")]).toEqual([])
  })

  it("says that it was removed", async () => {
    const server = await serve()
    const ann = await person(server.port, "ann")
    const { connected, problem } = await enter({ port: server.port })
    await connected()
    ann.write("KICK #garden reverie :too loud")
    expect(await problem()).toMatchObject({
      isFatal: false,
      problem: "ann removed us from #garden: too loud",
    })
  })

  it("does not know what became of a line when the server dies on it, and does not say it again", async () => {
    const server = await serve()
    const { connected, send } = await enter({ port: server.port })
    await connected()
    await server.kill()
    expect(["unknown", "refused"]).toContain((await send("lost?")).outcome)
    await server.start()
    const ann = await person(server.port, "ann")
    await connected(2)
    await send("found")
    await ann.sees(/ PRIVMSG #garden :found$/)
    expect(ann.heard().map(({ text }) => text)).toEqual(["found"])
  })
})
