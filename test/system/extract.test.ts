import { describe, expect, it } from "vitest"
import type { Answer } from "../../src/api/contract/answers.ts"
import type { Extracted } from "../../src/api/contract/session-answers.ts"
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { systemRandom } from "../../src/base/random.ts"
import { loadInstall } from "../../src/config/install.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import { createPlainInstallation, type Installation } from "../../testkit/program/program.ts"
import { storeSession } from "../../testkit/sessions/session-rows.ts"
import { expectSentence } from "../../testkit/sessions/told.ts"
import { notes } from "../../testkit/worlds/extraction-world.ts"

/** Puts a session into an installation's database, as its sources would. */
async function withSession(
  { paths }: Installation,
  session: Omit<Parameters<typeof storeSession>[1], "install" | "at">,
): Promise<void> {
  const needs = { clock: systemClock, random: systemRandom, log: silentLog }
  const db = await openDatabase({ ...needs, url: "", file: paths.databaseFile })
  const install = loadInstall(paths.installFile, systemRandom).id
  await storeSession(db, { install, at: systemClock.now(), ...session })
  await db.close()
}

const id = "codex:0199-aa"
const said = ["user: Never push directly to main.", "assistant: Understood.", "user: what is the time"]

describe("extract through the program", () => {
  it("tells what it would learn, learns it once, and shows why", async () => {
    const installation = createPlainInstallation()
    const { run, json } = installation
    await withSession(installation, { id, status: "active", said })
    const dry = await json<Extracted>("extract", id, "--dry-run")
    expect(dry).toMatchObject({
      dryRun: true,
      sessions: [{ session: id, parts: [{ from: 0, to: 2, by: "rules" }] }],
    })
    expect((await json<Answer<"list">>("memory", "list")).memories).toEqual([])
    const first = await run("extract", "0199")
    expect(first.stdout).toContain("Never push directly to main.")
    expect(first.stdout).toContain("negative; rule prohibition, message 0")
    expect((await run("extract")).stderr).toContain("There are no unread messages.")
    const { memories } = await json<Answer<"list">>("memory", "list")
    expect(memories).toMatchObject([{ content: "Never push directly to main.", source: "extracted" }])
    expect((await run("sessions", "show", "0199")).stdout).toContain(
      "Learned 1 thing:\n  Never push directly",
    )
    expect(await json("sessions")).toMatchObject({ sessions: [{ id, learned: 1 }] })
    expect(await json("status")).toMatchObject({ memory: { learnedToday: 1 } })
    const why = await run("memory", "why", memories[0]?.id ?? "")
    expect(why.stdout).toContain(`in session ${id}, message 0`)
    expect(why.stdout).toContain("rule prohibition")
  })

  it("says what is wrong in one sentence", async () => {
    const installation = createPlainInstallation()
    expectSentence(
      await installation.run("extract", "nothing-like-it"),
      1,
      /There is no session nothing-like-it;/,
    )
    await installation.run("config", "set", "extraction.enabled", "false")
    expectSentence(await installation.run("extract"), 4, /while extraction.enabled is false; set it to true/)
  })

  it("learns nothing twice when several processes read at once", async () => {
    const installation = createPlainInstallation()
    await withSession(installation, { id, said })
    await Promise.all([1, 2, 3].map(() => installation.spawn("extract")))
    const { memories } = await installation.json<Answer<"list">>("memory", "list")
    expect(memories).toMatchObject([{ strength: 1 }])
  })

  it("is done by the daemon when a session is over", async () => {
    const installation = createPlainInstallation()
    const { entry, client } = await installation.daemonHere()
    await withSession(installation, { id, status: "crashed", said })
    expect(await entry("session.extracted")).toMatchObject({ subject: id, actor: "daemon" })
    expect((await client.list({})).memories).toMatchObject([{ content: "Never push directly to main." }])
  })

  it("is left alone by a daemon whose extraction.enabled is false", async () => {
    const installation = createPlainInstallation()
    await installation.run("config", "set", "extraction.enabled", "false")
    await withSession(installation, { id, said })
    await installation.daemon()
    await withSession(installation, { id: "codex:0199-bb", said })
    await installation.run("stop")
    await installation.run("config", "set", "extraction.enabled", "true")
    const { sessions } = await installation.json<Extracted>("extract")
    expect(sessions.map(({ session }) => session).sort()).toEqual([id, "codex:0199-bb"])
  })

  it("is taken up again after the daemon was killed in the middle, and nothing is learned twice", async () => {
    const server = await serveModel()
    const installation = createPlainInstallation()
    const { run, daemon, json } = installation
    await run("config", "set", "models.provider", "local")
    await run("config", "set", "models.local_url", `${server.url}/v1`)
    await run("config", "set", "models.local_model", "reader")
    await withSession(installation, { id, said })
    server.script([{ hang: true }, notes()])
    const killed = await daemon()
    await server.received(1)
    killed.process.kill("SIGKILL")
    await killed.ended
    const { entry } = await daemon()
    await entry("session.extracted")
    const { memories } = await json<Answer<"list">>("memory", "list")
    expect(memories).toMatchObject([{ content: "Never push directly to main.", strength: 1 }])
    server.done()
  })

  it("keeps what a model only supposes in quarantine, where it can be listed and confirmed", async () => {
    const server = await serveModel()
    const installation = createPlainInstallation()
    const { run, json } = installation
    await run("config", "set", "models.provider", "local")
    await run("config", "set", "models.local_url", `${server.url}/v1`)
    await run("config", "set", "models.local_model", "reader")
    const content = "The thumbnails are made by the pelican worker."
    server.next(notes({ content, type: "fact", turns: [1] }))
    await withSession(installation, {
      id,
      said: ["user: why are the thumbnails so late", `assistant: ${content}`],
    })
    expect((await run("extract")).stdout).toContain("fact, quarantined; model, message 1")
    expect((await run("memory", "search", "thumbnails", "pelican", "--sure")).stdout).toBe("")
    const { memories } = await json<Answer<"list">>("memory", "list", "--status", "quarantined")
    expect(memories).toMatchObject([{ content, status: "quarantined" }])
    const memory = memories[0]?.id ?? ""
    expect((await run("memory", "show", memory)).stdout).toContain("quarantined")
    expect((await run("memory", "why", memory)).stdout).toContain("It is quarantined")
    await run("memory", "rate", memory, "helpful")
    expect((await run("memory", "search", "thumbnails", "pelican", "--sure")).stdout).toContain(content)
    await run("undo")
    expect((await run("memory", "search", "thumbnails", "pelican", "--sure")).stdout).toBe("")
  })
})
