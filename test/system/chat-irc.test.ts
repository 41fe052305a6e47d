import { describe, expect, onTestFinished, test } from "vitest"
import { createChatInstallation, entriesOf } from "../../testkit/chat/chat-program.ts"
import { hasNgircd, startNgircd } from "../../testkit/irc/ngircd.ts"
import { joinRaw } from "../../testkit/irc/raw-client.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import { decides } from "../../testkit/worlds/listen-world.ts"

const channel = "#garden"

/** The program on a real IRC server with two clients that share nothing with it. */
async function open(policy: readonly string[] = []) {
  const server = await serveModel()
  const irc = await startNgircd()
  onTestFinished(irc.close)
  const installation = createChatInstallation({
    server,
    chat: [
      ...["[chat.policy]", `ambient_channels = ["${channel}"]`, ...policy],
      ...["[chat.irc]", "enabled = true", 'host = "127.0.0.1"', `port = ${irc.port}`, "tls = false"],
      ...['nick = "fern"', `channels = ["${channel}"]`, "seconds_between_lines = 0"],
    ],
  })
  const join = async (nick: string) => {
    const client = await joinRaw(irc.port, nick, channel)
    onTestFinished(client.close)
    return client
  }
  return { server, irc, installation, join }
}

/** The program as those in the channel see it: it is there once it has joined. */
function isThere({ lines }: Awaited<ReturnType<typeof joinRaw>>, times = 1): boolean {
  return lines.filter((line) => /^:fern!\S+ JOIN/.test(line)).length >= times
}

describe.skipIf(!hasNgircd())("the daemon in IRC", () => {
  test("overhears two people, stays silent, speaks, and answers people who address it, each once", async () => {
    const { server, installation, join } = await open()
    const [ann, bob] = [await join("ann"), await join("bob")]
    const { client } = await installation.daemonHere()
    await ann.until(() => isThere(ann))
    server.script([
      decides("silent", { reason: "they greet each other" }),
      decides("reply", { text: "On Tuesday." }),
      decides("reply", { text: "Hello bob." }),
    ])
    ann.say(channel, "hello bob")
    await entriesOf(client, ["chat.silenced"])
    bob.say(channel, "does anybody know when the market is?")
    await entriesOf(client, ["chat.replied"])
    bob.say(channel, "fern: thank you, and hello")
    await entriesOf(client, ["chat.replied"], 2)
    const heard = () => ann.heard().filter(({ from }) => from === "fern")
    await ann.until(() => heard().length === 2)
    expect(heard().map(({ text }) => text)).toEqual(["On Tuesday.", expect.stringContaining("Hello bob.")])
    expect(bob.heard().filter(({ from }) => from === "fern")).toHaveLength(2)
    const [, , last] = server.requests
    const shown = JSON.stringify(last?.asked.messages)
    for (const words of ["hello bob", "when the market is", "you", "On Tuesday."])
      expect(shown).toContain(words)
  })

  test("a mention ends the batch under way, and who is blocked never reaches the model", async () => {
    const { server, installation, join } = await open(['blocked_users = ["irc/mallory"]'])
    const [ann, mallory] = [await join("ann"), await join("mallory")]
    const { client } = await installation.daemonHere()
    await ann.until(() => isThere(ann))
    const [begun, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    server.script([
      async () => {
        begun.resolve()
        await late.promise
        return decides("reply", { text: "This comes too late." })
      },
      decides("reply", { text: "Yes." }),
    ])
    mallory.say(channel, "fern: FORBIDDEN")
    mallory.say(channel, "FORBIDDEN")
    ann.say(channel, "is anybody there?")
    await begun.promise
    ann.say(channel, "fern, are you there?")
    await entriesOf(client, ["chat.replied"])
    late.resolve()
    expect(ann.heard().filter(({ from }) => from === "fern")).toHaveLength(1)
    expect(server.requests).toHaveLength(2)
    expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toContain("FORBIDDEN")
  })

  test("it comes back when the server was away, and goes on", async () => {
    const { server, irc, installation, join } = await open()
    const { client } = await installation.daemonHere()
    const isConnected = async () => (await client.chat()).chat?.channels[0]?.state === "connected"
    while (!(await isConnected())) await new Promise((resolve) => setTimeout(resolve, 20))
    await irc.kill()
    while (await isConnected()) await new Promise((resolve) => setTimeout(resolve, 20))
    expect((await installation.run("doctor")).stdout).toMatch(/warn +chat\.irc +disconnected/)
    await irc.start()
    const ann = await join("ann")
    while (!(await isConnected())) await new Promise((resolve) => setTimeout(resolve, 20))
    server.script([decides("reply", { text: "I am back." })])
    ann.say(channel, "fern: are you there?")
    await ann.until(() => ann.heard().some(({ text }) => text.includes("I am back.")))
  }, 120_000)
})
