import { join } from "node:path"
import { expect, onTestFinished, test, vi } from "vitest"
import { systemClock as clock } from "../../../src/base/clock.ts"
import { systemRandom as random } from "../../../src/base/random.ts"
import { saveChatSecret } from "../../../src/chat/channels/credentials.ts"
import { openChannels } from "../../../src/chat/channels/open-channels.ts"
import { configSchema } from "../../../src/config/schema.ts"
import { serveDiscord } from "../../../testkit/discord/peer.ts"
import { hasNgircd, startNgircd } from "../../../testkit/irc/ngircd.ts"
import { joinRaw } from "../../../testkit/irc/raw-client.ts"
import { throwawayFolder } from "../../../testkit/program/home.ts"

function needs(variables: Record<string, string> = {}) {
  const credentialsFile = join(throwawayFolder(onTestFinished), "credentials.json")
  return { clock, random, credentialsFile, env: { variable: (name: string) => variables[name] } }
}

const chat = (sections: object) => configSchema.parse({ chat: sections }).chat
const never = new AbortController().signal

test("nothing is opened unless it is switched on, and what is missing is said in a sentence", () => {
  expect(openChannels(needs(), chat({}))).toEqual({ channels: [], problems: [] })
  const { channels, problems } = openChannels(
    needs(),
    chat({ discord: { enabled: true }, irc: { enabled: true } }),
  )
  expect(channels).toEqual([])
  expect(problems).toEqual([
    "Discord is switched on without a token; run `reverie chat setup discord`.",
    "IRC is switched on without a server; run `reverie chat setup irc`.",
  ])
  const account = { enabled: true, host: "irc.example.org", account: "fern" }
  expect(openChannels(needs(), chat({ irc: account })).problems[0]).toContain("fern has no password")
})

test("the saved token is used, one in the environment wins, and the settings hold", async () => {
  const peer = await serveDiscord()
  onTestFinished(peer.close)
  const given = needs()
  await saveChatSecret(given, "discord", peer.token)
  const settings = chat({ discord: { enabled: true, api_url: peer.apiUrl, notify_replied: true } })
  const [channel] = openChannels(given, settings).channels
  const kinds: string[] = []
  await channel?.start(({ kind }) => kinds.push(kind))
  onTestFinished(() => channel?.stop())
  await vi.waitFor(() => expect(kinds).toEqual(["connected"]), { timeout: 30_000 })
  const room = { platform: "discord", community: peer.guild, channel: peer.channel, thread: null }
  await channel?.send(room, { text: "hi", key: "1", mayStillSend: () => true }, never)
  expect(peer.posts()[0]?.allowedMentions).toMatchObject({ replied_user: true })
  const wrong = { ...given, env: { variable: () => "wrong.token.given" } }
  const [other] = openChannels(wrong, settings).channels
  const problems: string[] = []
  await other?.start((event) => event.kind === "problem" && problems.push(event.problem))
  onTestFinished(() => other?.stop())
  await vi.waitFor(() => expect(problems.join()).toContain("refuses the bot's token"), { timeout: 30_000 })
})

test.skipIf(!hasNgircd())("IRC gets its nick, its channels and its pace from the settings", async () => {
  const server = await startNgircd()
  onTestFinished(server.close)
  const ann = await joinRaw(server.port, "ann", "#shed")
  onTestFinished(ann.close)
  const irc = {
    enabled: true,
    host: "127.0.0.1",
    port: server.port,
    tls: false,
    nick: "fern",
    channels: ["#shed"],
  }
  const [channel] = openChannels(needs(), chat({ irc: { ...irc, seconds_between_lines: 60 } })).channels
  const kinds: string[] = []
  await channel?.start(({ kind }) => kinds.push(kind))
  onTestFinished(() => channel?.stop())
  await vi.waitFor(() => expect(kinds).toEqual(["connected"]), { timeout: 30_000 })
  const room = { platform: "irc", community: "127.0.0.1", channel: "#shed", thread: null }
  const text = "1\n2\n3\n4\n5\n6"
  const controller = new AbortController()
  const sending = channel?.send(room, { text, key: "1", mayStillSend: () => true }, controller.signal)
  await vi.waitFor(() => expect(kinds.filter((kind) => kind === "message")).toHaveLength(5), {
    timeout: 30_000,
  })
  controller.abort()
  expect(await sending).toMatchObject({ outcome: "sent", cut: "It was cancelled." })
  expect(ann.heard().map(({ text: line }) => line)).toEqual(["1", "2", "3", "4", "5"])
})
