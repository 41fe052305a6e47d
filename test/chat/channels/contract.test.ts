import { PassThrough } from "node:stream"
import { describe } from "vitest"
import { systemClock as clock } from "../../../src/base/clock.ts"
import { systemRandom as random } from "../../../src/base/random.ts"
import { openDiscord } from "../../../src/chat/channels/discord/open-discord.ts"
import { openIrc } from "../../../src/chat/channels/irc/open-irc.ts"
import { openTerminal } from "../../../src/chat/channels/terminal.ts"
import { serveDiscord } from "../../../testkit/discord/peer.ts"
import { hasNgircd, startNgircd } from "../../../testkit/irc/ngircd.ts"
import { joinRaw, type RawClient } from "../../../testkit/irc/raw-client.ts"
import { type ChannelWorld, describeChannel } from "../../contract/channel.ts"

async function discordWorld(): Promise<ChannelWorld> {
  const peer = await serveDiscord()
  const users = new Map<string, string>()
  const user = (name: string) => {
    const id = users.get(name) ?? peer.addUser(name)
    users.set(name, id)
    return id
  }
  const { token, apiUrl } = peer
  return {
    channel: openDiscord({ clock, random }, { token, apiUrl, notifyReplied: false }),
    room: { platform: "discord", community: peer.guild, channel: peer.channel, thread: null },
    say: (name, text) => void peer.say(peer.channel, user(name), text.replace("@us", `<@${peer.bot}>`)),
    sayPrivately: (name, text) => void peer.say(peer.openDm(user(name)), user(name), text),
    reply: (name, replyTo, text) => void peer.say(peer.channel, user(name), text, { replyTo }),
    seen: () => peer.posts().flatMap(({ channel, text }) => (channel === peer.channel ? text : [])),
    files: () =>
      peer.posts().flatMap(({ files }) => files.map((one) => ({ ...one, bytes: Buffer.from(one.bytes) }))),
    cut: peer.cut,
    async hold() {
      peer.takeConnections(false)
      peer.cut()
      return () => peer.takeConnections(true)
    },
    close: peer.close,
  }
}

async function ircWorld(): Promise<ChannelWorld> {
  const server = await startNgircd()
  const clients = new Map<string, Promise<RawClient>>()
  const person = (name: string) => {
    const client = clients.get(name) ?? joinRaw(server.port, name, "#garden")
    clients.set(name, client)
    return client
  }
  let watcher = await person("watcher")
  const channel = openIrc(
    { clock, random },
    {
      host: "127.0.0.1",
      port: server.port,
      tls: false,
      tlsFingerprint: "",
      nick: "reverie",
      channels: ["#garden"],
      account: "",
      password: "",
      secondsBetweenLines: 0,
    },
  )
  const restart = async () => {
    clients.clear()
    await server.start()
    watcher = await person("watcher")
  }
  return {
    channel,
    room: { platform: "irc", community: "127.0.0.1", channel: "#garden", thread: null },
    say: async (name, text) => void (await person(name)).say("#garden", text),
    sayPrivately: async (name, text) => void (await person(name)).say("reverie", text),
    seen: () => watcher.heard().flatMap(({ from, target, text }) => (isOurs(from, target) ? text : [])),
    async cut() {
      await server.kill()
      await restart()
    },
    async hold() {
      await server.kill()
      return restart
    },
    async close() {
      for (const client of clients.values()) (await client).close()
      await server.close()
    },
  }
}

function isOurs(from: string, target: string): boolean {
  return from === "reverie" && target === "#garden"
}

async function terminalWorld(): Promise<ChannelWorld> {
  const [input, output] = [new PassThrough(), new PassThrough()]
  let shown = ""
  output.setEncoding("utf8").on("data", (text: string) => {
    shown += text
  })
  const channel = openTerminal({ clock, random }, { name: "reverie", speaker: "you", input, output })
  const numbers = new Map<string, number>()
  return {
    channel: {
      ...channel,
      start: (onEvent) =>
        channel.start((event) => {
          if (event.kind === "message") numbers.set(event.message.id, numbers.size + 1)
          onEvent(event)
        }),
    },
    room: { platform: "terminal", community: "terminal", channel: "room", thread: null },
    say: (name, text) => void input.write(`${name}: ${text}\n`),
    sayPrivately: (name, text) => void input.write(`/private ${name}: ${text}\n`),
    reply: (name, to, text) => void input.write(`${name}: >${numbers.get(to)} ${text}\n`),
    seen: () => [...shown.matchAll(/^\[\d+\] reverie: (.*(?:\n {4}.*)*)$/gm)].map((match) => match[1] ?? ""),
    close: () => void input.end(),
  }
}

describeChannel({ name: "discord", open: discordWorld, mention: "@us" })
describe.skipIf(!hasNgircd())("with Debian's ngircd", () => {
  describeChannel({ name: "irc", open: ircWorld, mention: "reverie:" })
})
describeChannel({ name: "terminal", open: terminalWorld, mention: "reverie," })
