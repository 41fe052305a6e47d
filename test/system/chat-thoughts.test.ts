import { describe, expect, onTestFinished, test } from "vitest"
import type { Answer } from "../../src/api/contract/answers.ts"
import { createChatInstallation, entriesOf } from "../../testkit/chat/chat-program.ts"
import { hasNgircd, startNgircd } from "../../testkit/irc/ngircd.ts"
import { joinRaw } from "../../testkit/irc/raw-client.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"

const channel = "#garden"

/** A step in which the model answers about a thought. */
function thinks(action: string, text: string, reason: string) {
  return { text: JSON.stringify({ action, channel: "c1", replyTo: null, text, media: null, reason }) }
}

/** The program in a real IRC channel in which it may begin subjects, looking around every second. */
async function open() {
  const server = await serveModel()
  const irc = await startNgircd()
  onTestFinished(irc.close)
  const installation = createChatInstallation({
    server,
    chat: [
      ...["[chat.policy]", `discovery_channels = ["${channel}"]`],
      ...["[chat.initiative.text]", "eagerness = 100", "tick_seconds = 1", "hold_hours = 0.25"],
      ...['execution = "dedicated"', 'model = "local/thinker"'],
      ...["[chat.initiative.discovery.sources]", "hacker_news = false"],
      ...["[chat.irc]", "enabled = true", 'host = "127.0.0.1"', `port = ${irc.port}`, "tls = false"],
      ...['nick = "fern"', `channels = ["${channel}"]`, "seconds_between_lines = 0"],
    ],
  })
  const ann = await joinRaw(irc.port, "ann", channel)
  onTestFinished(ann.close)
  const joined = (times: number) =>
    ann.until(() => ann.lines.filter((line) => /^:fern!\S+ JOIN/.test(line)).length >= times)
  return { server, installation, ann, joined }
}

describe.skipIf(!hasNgircd())("a thought of its own in the daemon", () => {
  test("is held, shown, survives the end of the process, and is said once", async () => {
    const { server, installation, ann, joined } = await open()
    server.script([
      thinks("hold", "The moss is in bloom.", "Nobody is here yet."),
      thinks("post", "The moss is in bloom today.", "Now they are here."),
    ])
    const first = await installation.daemon()
    await joined(1)
    ann.say(channel, "good morning")
    await first.entry("thought.held")
    const before = await installation.json<Answer<"chatThoughts">>("chat", "thoughts")
    expect(before.communities[0]?.thought).toMatchObject({
      text: "The moss is in bloom.",
      revision: 1,
      calls: 1,
    })
    first.process.kill("SIGKILL")
    await first.ended
    const second = await installation.daemon()
    await joined(2)
    ann.say(channel, "here I am")
    await entriesOf(second.client, ["thought.posted"])
    await ann.until(() => ann.heard().some(({ from }) => from === "fern"))
    expect(server.requests.map(({ asked }) => asked.model)).toEqual(["thinker", "thinker"])
    const shown = JSON.stringify(server.requests[1]?.asked.messages)
    expect(shown).toContain("The moss is in bloom.")
    expect(shown).toContain("here I am")
    second.process.kill("SIGKILL")
    await second.ended
    const third = await installation.daemon()
    await joined(3)
    ann.say(channel, "still here")
    const told = async () => (await installation.run("chat", "thoughts")).stdout
    while (!(await told()).includes("min minutes between posts")) await third.client.chat()
    const stdout = await told()
    expect(stdout).toContain("posted")
    expect(stdout).toContain("Now they are here.")
    expect(stdout).toContain("min minutes between posts")
    const said = ann.heard().filter(({ from }) => from === "fern")
    expect(said.map(({ text }) => text)).toEqual(["The moss is in bloom today."])
    expect(server.requests).toHaveLength(2)
    third.process.kill("SIGTERM")
    await third.ended
  }, 180_000)
})

test("chat thoughts says why there are none, and which community it does not know", async () => {
  const installation = createChatInstallation({ server: await serveModel(), chat: [] })
  const none = await installation.run("chat", "thoughts")
  expect(`${none.stdout}${none.stderr}`).toContain("chat.policy.discovery_channels is empty")
  const unknown = await installation.run("chat", "thoughts", "--community", "discord/1")
  expect(unknown.code).not.toBe(0)
  expect(unknown.stderr).toContain("no community called discord/1")
})
