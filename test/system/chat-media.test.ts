import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import type { Answer } from "../../src/api/contract/answers.ts"
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { systemRandom } from "../../src/base/random.ts"
import { addSource, removeSource } from "../../src/chat/discovery/curate.ts"
import { readSources } from "../../src/chat/discovery/round.ts"
import { recordPost, recordReaction } from "../../src/chat/feedback/store.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import { createChatInstallation, entriesOf } from "../../testkit/chat/chat-program.ts"
import { hall } from "../../testkit/chat/messages.ts"
import { serveDiscord } from "../../testkit/discord/peer.ts"
import { discoveryConfig, openSources, rss, servePaths, text } from "../../testkit/discovery/world.ts"
import { samples } from "../../testkit/media/samples.ts"
import { json, serveMedia } from "../../testkit/media/world.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import { createPlainInstallation } from "../../testkit/program/program.ts"
import { decides } from "../../testkit/worlds/listen-world.ts"

const drawing = { media: { kind: "image", prompt: "a fox in the snow" } }

/** The program in a Discord of our own, with a scripted model and a server that makes pictures. */
async function open(chat: readonly string[] = []) {
  const server = await serveModel()
  const peer = await serveDiscord()
  onTestFinished(peer.close)
  const images = await serveMedia((_, response) =>
    json(response, { data: [{ b64_json: samples.png.toString("base64") }] }),
  )
  const installation = createChatInstallation({
    server,
    env: { REVERIE_DISCORD_TOKEN: peer.token, REVERIE_IMAGE_API_KEY: "painter-key" },
    chat: [
      ...["[chat.discord]", "enabled = true", `api_url = "${peer.apiUrl}"`],
      ...["[chat.initiative.media]", `image_url = "${images.base}/v1"`, "image_usd = 0.04"],
      ...["[chat.initiative.discovery]", 'allowed_image_models = ["painter"]', ...chat],
    ],
  })
  const ann = peer.addUser("ann")
  const mention = (said: string) => peer.say(peer.channel, ann, `<@${peer.bot}> ${said}`)
  const connected = () => peer.until(() => peer.connected() > 0)
  return { server, peer, images, installation, ann, mention, connected }
}

test("an answer carries a picture to Discord, within the day's budget, and people's reactions count", async () => {
  const { server, peer, images, installation, ann, mention, connected } = await open([
    "max_images_per_day = 1",
  ])
  const { client } = await installation.daemonHere()
  await connected()
  server.script([
    decides("reply", { text: "Here it is.", ...drawing }),
    decides("reply", { text: "None today.", ...drawing }),
  ])
  mention("draw a fox")
  await peer.until(() => peer.posts().length === 1)
  expect(peer.posts()[0]).toMatchObject({
    text: "Here it is.",
    files: [{ name: "picture.png", type: "image/png" }],
  })
  expect(Buffer.from(peer.posts()[0]?.files[0]?.bytes ?? []).equals(samples.png)).toBe(true)
  expect(images.asked[0]?.headers.authorization).toBe("Bearer painter-key")
  const [made] = await entriesOf(client, ["media.made"])
  expect(made?.data).toMatchObject({ kind: "image", model: "painter", usd: 0.04 })
  await entriesOf(client, ["post.noted"])
  peer.react(peer.posts()[0]?.id ?? "", ann, "🦊")
  expect((await entriesOf(client, ["post.responded"]))[0]?.data).toMatchObject({
    response: "reaction",
    value: 1,
  })
  mention("and another")
  await peer.until(() => peer.posts().length === 2)
  expect(peer.posts()[1]).toMatchObject({ text: "None today.", files: [] })
  expect(images.asked).toHaveLength(1)
  const stats = await installation.json<{ total: { usd: number } }>("chat", "stats")
  expect(stats.total.usd).toBeCloseTo(0.04)
})

test("no picture is made for a channel in which the bot may attach none", async () => {
  const { server, peer, images, installation, mention, connected } = await open()
  const { client } = await installation.daemonHere()
  await connected()
  peer.forbidFiles(peer.channel)
  server.script([decides("reply", { text: "In words then.", ...drawing })])
  mention("draw a fox")
  await peer.until(() => peer.posts().length === 1)
  await entriesOf(client, ["chat.replied"])
  expect(peer.posts()[0]).toMatchObject({ text: "In words then.", files: [] })
  expect(images.asked).toEqual([])
  expect(JSON.stringify(server.requests[0]?.body)).not.toContain("a plain description of what it shows")
})

test.each([
  ["posted once after it", false],
  ["known again in the room, if it had left", true],
])("a picture that was made before the program was killed is %s", async (_what, isTaken) => {
  const { server, peer, images, installation, mention, connected } = await open()
  const first = await installation.daemon()
  await connected()
  server.script([decides("reply", { text: "Here it is.", ...drawing })])
  peer.fault(
    { kind: "slow", until: new Promise(() => undefined), isTaken },
    { method: "POST", path: /\/messages$/ },
  )
  mention("draw a fox")
  await peer.until(() =>
    peer.requests().some(({ method, path }) => method === "POST" && path.endsWith("/messages")),
  )
  first.process.kill("SIGKILL")
  await first.ended
  const { client } = await installation.daemonHere()
  await entriesOf(client, ["chat.replied"])
  expect(peer.posts()).toMatchObject([{ text: "Here it is.", files: [{ name: "picture.png" }] }])
  expect(images.asked).toHaveLength(1)
})

test("`chat sources` shows all sources and how they go, and takes back what the agent changed", async () => {
  const feed = (path: string) => text(rss([{ title: `From ${path}`, link: `https://e.example${path}` }]))
  const { base } = await servePaths({ "/own": feed("/own"), "/found": feed("/found") })
  const installation = createPlainInstallation()
  const { run, json: ask, paths, home } = installation
  expect((await run("chat", "sources")).stdout).toContain("hacker_news:top")
  writeFileSync(
    join(home, "config.toml"),
    `[embedding]\nmodel = "none"\n[chat.initiative.discovery]\nrss_feeds = ["${base}/own", "${base}/gone"]\nsources = { hacker_news = false }\n`,
  )
  const url = `sqlite:${paths.databaseFile}`
  const db = await openDatabase({ url, file: "", clock: systemClock, random: systemRandom, log: silentLog })
  onTestFinished(() => db.close())
  const needs = { ...openSources(base), db, random: systemRandom }
  const config = discoveryConfig({ rss_feeds: [`${base}/own`, `${base}/gone`] })
  const change = {
    community: "test/c1",
    family: "rss" as const,
    value: `${base}/found`,
    reason: "they like it",
  }
  const added = await addSource(needs, config, change)
  await readSources(needs, config)
  const post = {
    community: "test/c1",
    room: hall,
    messageIds: ["p1"],
    kind: "link" as const,
    thoughtId: null,
  }
  await recordPost(needs, { ...post, sources: [`rss:${base}/found`], at: systemClock.now() })
  const reaction = { kind: "reaction" as const, room: hall, id: "p1", emoji: "🌱", added: true, at: 1 }
  await recordReaction(needs, { ...reaction, author: { id: "ann", name: "ann", isBot: false } })

  const listed = async (...words: string[]) =>
    (await ask<Answer<"chatSources">>("chat", "sources", ...words)).sources
  const [own, gone, found] = await listed()
  expect(own).toMatchObject({ addedBy: "person", state: "ok", entries: 1, failures: 0, community: null })
  expect(gone).toMatchObject({ state: "failing", failures: 1, error: expect.stringContaining("404") })
  expect(found).toMatchObject({ addedBy: "agent", community: "test/c1", shared: 1, liked: 1, ignored: 0 })
  expect(await listed("--community", "c1")).toHaveLength(3)
  expect(await listed("--community", "test/other")).toHaveLength(2)
  const { stdout } = await run("chat", "sources")
  const id = "operation" in added ? added.operation : ""
  expect(stdout).toContain(id)
  expect(stdout).toContain("they like it")

  expect(await run("chat", "sources", "undo", id)).toMatchObject({ code: 0 })
  expect(await listed()).toHaveLength(2)
  expect(await run("chat", "sources", "undo", id)).toMatchObject({
    ...{ code: 1, stderr: expect.stringContaining("nothing to undo") },
  })
  expect(await run("chat", "sources", "undo", "op_0123456789")).toMatchObject({
    ...{ code: 1, stderr: expect.stringContaining("made no source change") },
  })
  await addSource(needs, config, change)
  const removed = await removeSource(needs, config, change)
  const undone = await ask<{ change: string }>(
    "chat",
    "sources",
    "undo",
    "operation" in removed ? removed.operation : "",
  )
  expect(undone).toMatchObject({ outcome: "undone", change: "removed", community: "test/c1" })
  expect(await listed()).toHaveLength(3)
})
