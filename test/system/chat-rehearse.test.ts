import { expect, test } from "vitest"
import type { Answer } from "../../src/api/contract/answers.ts"
import { createChatInstallation, entriesOf } from "../../testkit/chat/chat-program.ts"
import { openRehearsal } from "../../testkit/chat/rehearsal.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import { decides } from "../../testkit/worlds/listen-world.ts"

/** A step in which the model answers about a thought. */
function thinks(action: string, text: string, reason: string) {
  return { text: JSON.stringify({ action, channel: "c1", replyTo: null, text, media: null, reason }) }
}

test("a rehearsal shows what it would have said, and posts and keeps nothing but the cost", async () => {
  const { server, peer, installation, client } = await openRehearsal()
  server.script([decides("silent", { reason: "small talk" })])
  peer.say(peer.channel, peer.addUser("ann"), "the ferns are up")
  await entriesOf(client, ["chat.silenced"])
  const rooms = (await client.chatStats()).rooms.map(({ room }) => room)
  const community = String(rooms[0]).split("/").slice(0, 2).join("/")
  const script = () =>
    server.script([
      thinks("hold", "Ferns, perhaps.", "Nobody is here yet."),
      thinks("hold", "Ferns.", "Still nobody."),
      thinks("post", "How are the ferns today?", "Somebody speaks of ferns."),
    ])
  script()
  const before = server.requests.length
  const usedBefore = await client.models()
  const told = await installation.json<Answer<"chatRehearse">>(
    ...["chat", "rehearse", "--community", community, "--hours", "1"],
  )
  expect(told).toMatchObject({ community, messages: 1, calls: 3, isCut: false })
  expect(told.steps.map(({ kind, text }) => ({ kind, text }))).toEqual([
    { kind: "thought.held", text: "Ferns, perhaps." },
    { kind: "thought.held", text: "Ferns." },
    { kind: "thought.posted", text: "How are the ferns today?" },
  ])
  expect(told.silence.map(({ gate }) => gate)).toContain("held thought")
  expect(told.tokens.input).toBeGreaterThan(0)
  // The model was shown what was said, only when it had been said, and had no tools.
  const shown = server.requests.slice(before).map(({ asked }) => JSON.stringify(asked.messages))
  expect(shown.map((prompt) => prompt.includes("the ferns are up"))).toEqual([false, false, true])
  expect(server.requests.at(-1)?.asked.tools).toEqual([])
  // Nothing was said and nothing is kept.
  expect(peer.posts()).toEqual([])
  const kept = await installation.json<Answer<"chatThoughts">>("chat", "thoughts")
  expect(kept.communities).toEqual([])
  const journal = await client.journal({ limit: 1000 })
  expect(journal.entries.filter(({ kind }) => kind.startsWith("thought."))).toEqual([])
  // The cost is in the ledger.
  expect(JSON.stringify(await client.models())).not.toBe(JSON.stringify(usedBefore))
  script()
  const spoken = await installation.run("chat", "rehearse", "--community", community, "--hours", "1")
  expect(spoken.stdout).toMatch(/would have posted +\S+ +How are the ferns today\?/)
  expect(spoken.stdout).toContain("3 model calls")
  expect(spoken.stderr).toContain("nothing was posted")
})

test("a rehearsal says what is missing: channels, messages, a model", async () => {
  const { installation, server, peer, client } = await openRehearsal()
  const none = await installation.run("chat", "rehearse", "--community", "discord/1")
  expect(none.code).not.toBe(0)
  expect(none.stderr).toContain("no messages are stored of a channel of discord/1")
  server.script([decides("silent", { reason: "small talk" })])
  peer.say(peer.channel, peer.addUser("ann"), "hello")
  await entriesOf(client, ["chat.silenced"])
  const [room] = (await client.chatStats()).rooms
  await server.close()
  const community = String(room?.room).split("/").slice(0, 2).join("/")
  const unreachable = await installation.run("chat", "rehearse", "--community", community, "--hours", "1")
  expect(`${unreachable.stdout}${unreachable.stderr}`).toMatch(/failed to ask|there is none/)
  const other = createChatInstallation({ server: await serveModel(), chat: [] })
  const empty = await other.run("chat", "rehearse", "--community", "discord/1")
  expect(empty.code).toBe(1)
  expect(empty.stderr).toContain("chat.policy.discovery_channels is empty")
  const noCommunity = await other.run("chat", "rehearse")
  expect(noCommunity.code).toBe(2)
})

test("a rehearsal without a model asks none, and says how to get one", async () => {
  const { installation, server, peer, client, stop } = await openRehearsal()
  server.script([decides("silent", { reason: "small talk" })])
  peer.say(peer.channel, peer.addUser("ann"), "hello")
  await entriesOf(client, ["chat.silenced"])
  const [room] = (await client.chatStats()).rooms
  const community = String(room?.room).split("/").slice(0, 2).join("/")
  const asked = server.requests.length
  await installation.run("config", "set", "models.provider", "none")
  await stop()
  const before = peer.connected()
  await installation.daemonHere()
  await peer.until(() => peer.connected() > before)
  const none = await installation.run("chat", "rehearse", "--community", community)
  expect(none.code).toBe(4)
  expect(none.stderr).toMatch(/^reverie: A rehearsal asks a model, and there is none: /)
  expect(none.stderr).toContain("models.provider")
  expect(server.requests).toHaveLength(asked)
})
