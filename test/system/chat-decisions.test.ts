import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { newId, systemRandom } from "../../src/base/random.ts"
import { contextSchema, type RequestedCall } from "../../src/safety/permission/request.ts"
import { addRequest, findRequest } from "../../src/safety/permission/requests.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import { createChatInstallation, entriesOf } from "../../testkit/chat/chat-program.ts"
import { serveDiscord } from "../../testkit/discord/peer.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import { decides } from "../../testkit/worlds/listen-world.ts"

/** The program in a Discord of our own, where ann is told what waits for her. */
async function open() {
  const server = await serveModel()
  const peer = await serveDiscord()
  onTestFinished(peer.close)
  const ann = peer.addUser("ann")
  const installation = createChatInstallation({
    server,
    env: { REVERIE_DISCORD_TOKEN: peer.token },
    chat: [
      ...["[chat.discord]", "enabled = true", `api_url = "${peer.apiUrl}"`],
      ...["[notify]", "batch_seconds = 0", `chat_to = ["discord:${ann}"]`],
    ],
  })
  const { client } = await installation.daemonHere()
  const isConnected = async () => (await client.chat()).chat?.channels[0]?.state === "connected"
  while (!(await isConnected())) await new Promise((resolve) => setTimeout(resolve, 20))
  const { id: install } = JSON.parse(readFileSync(installation.paths.installFile, "utf8"))
  const needs = { clock: systemClock, random: systemRandom, log: silentLog, install }
  const db = await openDatabase({ ...needs, url: "", file: installation.paths.databaseFile })
  onTestFinished(() => db.close())
  const dm = peer.openDm(ann)
  const notices = () => peer.posts().filter(({ text }) => text.includes("`approve "))

  /** Asks as a cycle does, and gives what ann is sent. */
  const ask = async (description: string, call: RequestedCall | null) => {
    const before = notices().length
    const by = { operation: newId(systemRandom, "op"), actor: "test" }
    const request = await db.write((transaction) =>
      addRequest(
        transaction,
        { install, random: systemRandom, now: Date.now() },
        {
          ...{ askedBy: "cycle_1", project: null, action: "tidy", description, rationale: "It **is** old" },
          ...{ urgency: "normal", wait: true, call, expiresAt: Date.now() + 3_600_000 },
          context: contextSchema.parse({ risks: ["it may still matter"] }),
        },
        by,
      ),
    )
    await peer.until(() => notices().length > before)
    const notice = notices().at(-1)
    const code = /`approve ([0-9a-z]{8})`/.exec(notice?.text ?? "")?.[1] ?? ""
    return { id: request.id, code, notice }
  }
  /** Ann says something in private, and gets an answer. */
  const answered = async (text: string) => {
    const said = peer.say(dm, ann, text)
    await peer.until(() => peer.posts().some(({ replyTo }) => replyTo === said))
    return peer.posts().find(({ replyTo }) => replyTo === said)?.text
  }
  const stateOf = async (id: string) => (await findRequest(db, install, id))?.state
  return { server, peer, ann, installation, client, dm, ask, answered, stateOf }
}

test("a request reaches its person in private, who decides it there; no code is kept or shown to a model", async () => {
  const { server, peer, ann, installation, client, dm, ask, answered, stateOf } = await open()
  const { id: memory } = await installation.json<{ id: string }>("add", "--global", "The old port is 5433")
  const call = { tool: "memory_archive", input: { id: memory, reason: "of no use" } }
  const first = await ask("Put the note on the old port aside", call)
  expect(first.notice).toMatchObject({ channel: dm, text: expect.stringContaining("it may still matter") })
  expect(first.notice?.text).toContain("| It \\*\\*is\\*\\* old")

  server.script([decides("reply", { text: "What is ok?" })])
  const ok = peer.say(dm, ann, "ok")
  await peer.until(() => peer.posts().some(({ text }) => text === "What is ok?"))
  peer.edit(ok, `approve ${first.code}`)
  expect(await answered("approve 00000000")).toMatch(/^Nothing was decided: this is not a valid/)
  expect(await stateOf(first.id)).toBe("pending")

  expect(await answered(`approve ${first.code}`)).toMatch(/^You approved it, and it is done once/)
  const [done] = await entriesOf(client, ["permission.done"])
  expect(done?.subject).toBe(first.id)
  expect(await entriesOf(client, ["memory.archived"])).toMatchObject([{ subject: memory }])
  expect(await answered(`approve ${first.code}`)).toMatch(/^Nothing was decided: this was already used/)

  const second = await ask("Rename the branch", null)
  expect(await answered(`deny ${second.code}: not before Monday`)).toMatch(/^You denied it/)
  expect(await stateOf(second.id)).toBe("denied")
  const told = (await entriesOf(client, ["queue.added"], 2)).map(({ data }) => JSON.stringify(data))
  expect(told.filter((one) => one.includes("not before Monday"))).toHaveLength(1)
  expect(await entriesOf(client, ["permission.started"])).toHaveLength(1)

  // For its context it reads back what was said in this talk.
  server.script([decides("reply", { text: "You are welcome." })])
  peer.say(dm, ann, "thanks")
  await peer.until(() => peer.posts().some(({ text }) => text === "You are welcome."))
  const shown = JSON.stringify(server.requests.map(({ body }) => body))
  expect(server.requests).toHaveLength(2)
  expect(shown).toContain("You denied it")
  expect([first, second].some(({ code }) => shown.includes(code))).toBe(false)
  const kept = readdirSync(installation.home, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => readFileSync(join(one.parentPath, one.name), "latin1"))
  expect(kept.some((text) => text.includes(first.code) || text.includes(second.code))).toBe(false)
})
