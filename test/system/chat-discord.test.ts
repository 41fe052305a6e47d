import { expect, onTestFinished, test } from "vitest"
import { createChatInstallation, entriesOf } from "../../testkit/chat/chat-program.ts"
import { serveDiscord } from "../../testkit/discord/peer.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import type { ScriptStep } from "../../testkit/model-server/step.ts"
import { decides } from "../../testkit/worlds/listen-world.ts"

/** The program in a Discord of our own, with a scripted model. */
async function open(policy: readonly string[] = [], options: Parameters<typeof serveDiscord>[0] = {}) {
  const server = await serveModel()
  const peer = await serveDiscord(options)
  onTestFinished(peer.close)
  const installation = createChatInstallation({
    server,
    env: {
      REVERIE_DISCORD_TOKEN: peer.token,
      OPENAI_BASE_URL: `${server.url}/v1`,
      OPENAI_API_KEY: "sk-proj-Zq81kfP0TrVn3xWb5LmYc7Ud9AeHs2Gj4Ko6RtNvXy",
    },
    chat: [
      ...["[chat.policy]", 'ambient_channels = ["*"]', ...policy],
      ...["[chat.discord]", "enabled = true", `api_url = "${peer.apiUrl}"`],
    ],
  })
  const [ann, bob] = [peer.addUser("ann"), peer.addUser("bob")]
  const said = (text: string, by = ann) => peer.say(peer.channel, by, text)
  const mention = (text: string, by = ann) => said(`<@${peer.bot}> ${text}`, by)
  const posts = () => peer.posts().map(({ text }) => text)
  return { server, peer, installation, ann, bob, said, mention, posts }
}

async function running(world: Awaited<ReturnType<typeof open>>) {
  const daemon = await world.installation.daemonHere()
  await world.peer.until(() => world.peer.connected() > 0)
  return daemon
}

test("overhears, stays silent, speaks once where it has something to say, and can tell why", async () => {
  const world = await open()
  const { server, peer, installation, said, posts } = world
  const { client } = await running(world)
  server.script([
    decides("silent", { reason: "small talk" }),
    decides("reply", { text: "Tuesday.", replyTo: 2 }),
  ])
  const first = said("nice weather")
  await entriesOf(client, ["chat.silenced"])
  const second = said("when is the market?")
  await peer.until(() => posts().length === 1)
  await entriesOf(client, ["chat.replied"])
  expect(peer.posts()).toMatchObject([{ text: "Tuesday.", replyTo: second }])
  const why = await installation.run("chat", "why", first)
  expect(why.stdout).toMatch(/A model was asked \(batch, 1 message\).*\n.*It stayed silent: small talk/)
  expect((await installation.run("chat", "why", "--last")).stdout).toContain("It answered: because")
  const stats = await installation.json<{ total: object }>("chat", "stats")
  expect(stats.total).toMatchObject({ calls: 2, replies: 1, silences: 1 })
  const { stdout } = await installation.run("status")
  expect(stdout).toMatch(/chat +discord: connected \(Greenhouse\)/)
  expect((await installation.run("doctor")).stdout).toMatch(/ok +chat\.discord +connected/)
})

test("a mention ends the batch under way, and is answered once", async () => {
  const world = await open()
  const { server, peer, said, mention, posts } = world
  const { client } = await running(world)
  const [begun, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  server.script([
    async () => {
      begun.resolve()
      await late.promise
      return decides("reply", { text: "This comes too late." })
    },
    decides("reply", { text: "Here I am." }),
    decides("reply", { text: "Still here." }),
  ])
  said("who is there?")
  await begun.promise
  mention("are you there?")
  await peer.until(() => posts().length === 1)
  late.resolve()
  await entriesOf(client, ["chat.replied"])
  mention("and now?")
  await entriesOf(client, ["chat.replied"], 2)
  expect(posts()).toEqual(["Here I am.", "Still here."])
  expect(peer.typings().length).toBeGreaterThan(0)
  const [, answered] = server.requests
  expect(JSON.stringify(answered?.asked.messages)).toContain("who is there?")
})

test("posts nothing improper, whatever the model does", async () => {
  const world = await open()
  const { server, said, mention, posts, peer } = world
  const { client } = await running(world)
  const steps: ScriptStep[] = [
    { text: "[NO_REPLY]" },
    { text: "Nothing to add.\n\n[SKIP]" },
    decides("reply", { text: "`no_reply`" }),
    decides("reply", { text: "" }),
    { calls: [{ name: "decide", input: '{"action": "reply", "text": "half' }] },
    { text: '{"action":"reply","text":' },
    { calls: [{ name: "post_message", input: { text: "I invented this tool" } }] },
    { fail: 400, message: "context_length_exceeded: secret internals" },
    { text: "Error: 500 Internal Server Error" },
    { text: "This was cut", stop: "length" },
    { text: "slow words", slow: 20, cut: 2 },
    { empty: true },
    { badJson: true, text: "broken" },
  ]
  let now: ScriptStep = {}
  server.always((request) => (typeof now === "function" ? now(request) : now))
  const ends = ["chat.silenced", "chat.failed"]
  for (const [index, step] of steps.entries()) {
    now = step
    said(`message ${index}`)
    await entriesOf(client, ends, index + 1)
  }
  expect(posts()).toEqual([])
  now = decides("reply", { text: "All is well." })
  mention("how are you?")
  await peer.until(() => posts().length > 0)
  expect(posts()).toEqual(["All is well."])
}, 120_000)

test("who is blocked never reaches the model, and a muted room rests until it is unmuted", async () => {
  const world = await open()
  const { server, peer, installation, ann, mention, posts } = world
  const mallory = peer.addUser("mallory")
  await installation.run("config", "set", "chat.policy.blocked_users", `["${mallory}"]`)
  const { client } = await running(world)
  peer.say(peer.channel, mallory, `<@${peer.bot}> say FORBIDDEN`)
  peer.say(peer.channel, mallory, "FORBIDDEN words")
  server.script([decides("reply", { text: "Hello ann." })])
  mention("hello")
  await entriesOf(client, ["chat.replied"])
  expect(server.requests).toHaveLength(1)
  expect(JSON.stringify(server.requests[0]?.body)).not.toContain("FORBIDDEN")

  const muted = await installation.run("chat", "mute", "--all")
  expect(muted.stderr).toMatch(/^Reverie is muted everywhere\./)
  peer.say(peer.channel, ann, `<@${peer.bot}> hello?`)
  await installation.run("chat", "mute", "--all", "--off")
  await installation.run("chat", "mute", peer.channel)
  peer.say(peer.channel, ann, `<@${peer.bot}> hello??`)
  const back = await installation.run("chat", "mute", peer.channel, "--off")
  expect(back.stderr).toContain("Reverie listens and answers again")
  server.script([decides("reply", { text: "Back." })])
  mention("and now?")
  await entriesOf(client, ["chat.replied"], 2)
  expect(posts()).toEqual(["Hello ann.", "Back."])
})

test("after a cut it resumes, and answers once what was said meanwhile", async () => {
  const world = await open()
  const { server, peer, mention, posts } = world
  const { client } = await running(world)
  server.script([decides("reply", { text: "First." }), decides("reply", { text: "Second." })])
  mention("one")
  await entriesOf(client, ["chat.replied"])
  peer.cut()
  mention("two")
  await entriesOf(client, ["chat.replied"], 2)
  expect(posts()).toEqual(["First.", "Second."])
})

test("a daemon killed in the middle of an answer answers once after its restart, and never twice", async () => {
  const world = await open()
  const { server, peer, installation, mention, posts } = world
  const first = await installation.daemon()
  await peer.until(() => peer.connected() > 0)
  const asked = Promise.withResolvers<void>()
  server.script([
    async () => {
      asked.resolve()
      await first.ended
      return decides("reply", { text: "Nobody hears this." })
    },
    decides("reply", { text: "I was away." }),
    decides("reply", { text: "Yes." }),
  ])
  mention("are you there?")
  await asked.promise
  first.process.kill("SIGKILL")
  await first.ended
  const second = await installation.daemon()
  await entriesOf(second.client, ["chat.replied"])
  expect(posts()).toEqual(["I was away."])
  second.process.kill("SIGTERM")
  await second.ended
  // The connection of the one that ended may still be open here: only a new sign-in is that of the next.
  const signedIn = peer.counts.identified
  const third = await installation.daemon()
  await peer.until(() => peer.counts.identified > signedIn)
  mention("still there?")
  await entriesOf(third.client, ["chat.replied"], 2)
  expect(posts()).toEqual(["I was away.", "Yes."])
}, 120_000)

test("a missing intent is said in status and doctor, and the daemon goes on", async () => {
  const { installation } = await open([], { messageContent: "refused" })
  const { client } = await installation.daemonHere()
  const isBroken = async () => (await client.chat()).chat?.channels[0]?.state === "broken"
  while (!(await isBroken())) await new Promise((resolve) => setTimeout(resolve, 20))
  expect((await installation.run("doctor")).stdout).toMatch(
    /warn +chat\.discord +broken: .*Message Content Intent/,
  )
  expect((await installation.run("status")).stdout).toMatch(/discord: broken\. .*Intent/)
})

test("a paid model's cost is counted for the community; over its cap nobody is asked, and one line says so", async () => {
  const world = await open(["usd_per_day = 0.005"])
  const { server, installation, mention, posts } = world
  await installation.run("config", "set", "models.allow_api_keys", "true")
  await installation.run("config", "set", "models.provider", "openai")
  const { client } = await running(world)
  server.script([{ ...decides("reply", { text: "That was dear." }), usage: { input: 5000, output: 100 } }])
  mention("hello")
  await entriesOf(client, ["chat.replied"])
  mention("and again?")
  await entriesOf(client, ["chat.replied"], 2)
  expect(posts()).toEqual(["That was dear.", "Sorry, I cannot answer just now. Please ask me again later."])
  const { total } = await installation.json<{ total: { usd: number; calls: number } }>("chat", "stats")
  expect(total.calls).toBe(1)
  expect(total.usd).toBeGreaterThan(0.005)
  const why = await installation.run("chat", "why", "--last")
  expect(why.stdout).toMatch(
    /It said that it cannot answer: This community's limit of 0\.005 US dollars a day is used up/,
  )
  expect((await installation.run("usage")).stdout).toMatch(/chat/)
})
