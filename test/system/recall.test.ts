import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import type { Answer } from "../../src/api/contract/answers.ts"
import { describeWithModel } from "../../testkit/embedding.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createInstallation, createPlainInstallation } from "../../testkit/program/program.ts"

const deploy = "The deploy script needs the staging flag before production"
const prompt = "How do I run the deploy script for production?"

const session = (id: string, project?: string) => ({
  id: `codex:${id}`,
  tool: "codex",
  ...(project ? { project } : {}),
})
const said = (text: string) => ({ kind: "prompt" as const, text })

describe("recall through the program", () => {
  it("tells a session of one tool what another was told, at its start, and after a crash of the daemon", async () => {
    const project = throwawayFolder()
    const installation = createPlainInstallation({ cwd: project })
    const first = await installation.daemon()
    await first.client.add({ content: "Never push to main", type: "negative", project })
    await first.client.add({ content: deploy, project, createdAt: 0 })
    const started = await first.client.recallStart({ session: session("a", project) })
    expect(started.memories).toMatchObject(
      [{ content: "Never push to main", origin: /^the user said on / }].map(loose),
    )
    expect(started.text).toContain("Never push to main")
    await first.client.recallTurn({ session: session("a", project), happening: said("Make the page blue") })
    await first.client.recallTurn({
      session: session("a", project),
      happening: {
        kind: "tool",
        name: "shell",
        text: "Error: deploy script needs flag production",
        isError: true,
      },
    })
    expect((await first.entry("recall.prepared")).subject).toBe("codex:a")
    first.process.kill("SIGKILL")
    await first.ended

    const second = await installation.daemon()
    const answer = await second.client.recallTurn({
      session: session("a", project),
      happening: said("go on"),
    })
    expect(answer.memories).toMatchObject([{ content: deploy }])
    const other = { id: "claude-code:b", tool: "claude-code", project }
    expect((await second.client.recallStart({ session: other })).memories).toMatchObject([
      { content: "Never push to main" },
    ])
    expect(await second.client.recallEnd({ session: other })).toMatchObject({ outcome: "ended" })
  })

  it("warns of what an agent writes on the way, which only its transcript tells", async () => {
    const project = throwawayFolder()
    const claude = throwawayFolder()
    const installation = createPlainInstallation({ cwd: project, env: { CLAUDE_CONFIG_DIR: claude } })
    const { client, entry } = await installation.daemonHere()
    const rule = { content: "Never use println! here", type: "negative" as const, triggers: ["println!"] }
    await client.add({ ...rule, project })
    const id = "0b9c1d2e-0000-4000-8000-00000000000a"
    const about = { id: `claude-code:${id}`, tool: "claude-code", project }
    await client.recallTurn({ session: about, happening: said("Make the page blue") })
    const folder = join(claude, "projects", "-work")
    mkdirSync(folder, { recursive: true })
    const line = (type: string, content: unknown, number: number) =>
      JSON.stringify({
        type,
        sessionId: id,
        uuid: `u${number}`,
        cwd: project,
        timestamp: new Date().toISOString(),
        message: { role: type, content },
      })
    const lines = [
      line("user", "Make the page blue", 1),
      line("assistant", [{ type: "text", text: "I will print it with println! now." }], 2),
    ]
    writeFileSync(join(folder, `${id}.jsonl`), `${lines.join("\n")}\n`)
    await entry("session.read")
    const tool = { kind: "tool" as const, name: "Bash", text: "ok", isError: false }
    let memories: readonly { content: string }[] = []
    while (memories.length === 0)
      memories = (await client.recallTurn({ session: about, happening: tool })).memories
    expect(memories).toMatchObject([{ content: rule.content }])
  })

  it("asks the judge through the daemon's own models", async () => {
    const server = await serveModel()
    const { run, daemonHere } = createPlainInstallation()
    await run("config", "set", "models.local_url", `${server.url}/v1`)
    await run("config", "set", "models.local_model", "qwen3")
    await run("config", "set", "models.provider", "local")
    await run("config", "set", "recall.wait_ms", "0")
    server.script([{ calls: [{ name: "choose_memories", input: { relevant: [1] } }] }])
    server.next({ calls: [{ name: "choose_memories", input: { relevant: [1] } }] })
    const { client, entry } = await daemonHere()
    await client.add({ content: deploy, confidence: 0.5 })
    await client.recallTurn({
      session: session("j"),
      happening: said("Which flag does the deploy script need?"),
    })
    await entry("memory.verified")
    const { rows } = await client.usage({})
    expect(rows).toMatchObject([{ source: "judge", calls: 2 }])
  })

  it("refuses what it does not understand with a sentence", async () => {
    const { daemonHere } = createPlainInstallation()
    const { client } = await daemonHere()
    const wrong = { session: { id: "", tool: "x" }, happening: said("x") }
    await expect(client.recallTurn(wrong)).rejects.toThrow(/The session id is empty/)
  })

  it("shows on the command line what would come up and why, with and without a daemon", async () => {
    const { run, json, daemonHere } = createPlainInstallation()
    await run("memory", "add", deploy)
    await run("memory", "add", "The cat sleeps on the deploy server")
    const before = await json<Answer<"recallPreview">>("recall", prompt)
    expect(before).toMatchObject({ schemaVersion: 1, query: prompt, memories: [{ content: deploy }] })
    expect(before.leftOut).toMatchObject([{ reason: "it is not likely enough to matter" }])
    const { stdout, stderr } = await run("recall", prompt)
    expect(stdout).toMatch(/<reverie-memory [\s\S]*deploy script/)
    expect(stderr).toMatch(/found by .*text[\s\S]*left out[\s\S]*cat sleeps/)
    const { client, entry } = await daemonHere()
    await client.recallTurn({ session: session("a"), happening: said(prompt) })
    await entry("recall.surfaced")
    const after = await json<Answer<"recallPreview">>("recall", prompt, "--session", "codex:a")
    expect(after.memories).toEqual([])
    expect(after.leftOut).toContainEqual(expect.objectContaining({ reason: "it was brought up before" }))
    expect(await run("recall")).toMatchObject({ code: 2, stderr: expect.stringMatching(/Give the prompt/) })
  })

  it("lists questions that found nothing", async () => {
    const { run, json, daemonHere } = createPlainInstallation()
    const { client, entry } = await daemonHere()
    await client.recallTurn({
      session: session("a"),
      happening: said("Where are the invoices of the harbour kept?"),
    })
    await entry("gap.found")
    expect(await json<Answer<"gaps">>("recall", "--gaps")).toMatchObject({
      gaps: [{ question: "Where are the invoices of the harbour kept?", times: 1, session: "codex:a" }],
    })
    expect((await run("recall", "--gaps")).stdout).toBe(
      "Where are the invoices of the harbour kept?  (1 time)\n",
    )
  })

  it("answers many sessions at once, and loses none when it stops", async () => {
    const { daemon, json } = createPlainInstallation()
    const { client, process, ended } = await daemon()
    await client.add({ content: deploy })
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, number) =>
        client.recallTurn({ session: session(`s${number}`), happening: said(prompt) }),
      ),
    )
    expect(answers.every((answer: Answer<"recallTurn">) => answer.memories.length <= 1)).toBe(true)
    process.kill("SIGTERM")
    expect(await ended).toBe(0)
    const again = await daemon()
    const texts: string[] = []
    for (let number = 0; number < 12; number += 1) {
      const answer = await again.client.recallTurn({
        session: session(`s${number}`),
        happening: said("go on"),
      })
      texts.push(
        ...[answers[number], answer].flatMap((one) => one?.memories.map(({ content }) => content) ?? []),
      )
    }
    expect(texts).toEqual(Array(12).fill(deploy))
    expect(await json("recall", "--gaps")).toMatchObject({ gaps: [] })
  })
})

function loose({ origin, ...rest }: { content: string; origin: RegExp }) {
  return { ...rest, origin: expect.stringMatching(origin) }
}

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Runs a script of somebody else's who has the package. */
async function runScript(file: string, ...args: string[]) {
  const folder = throwawayFolder()
  mkdirSync(join(folder, "node_modules"))
  symlinkSync(root, join(folder, "node_modules/reverie"))
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n')
  copyFileSync(file, join(folder, "script.mjs"))
  return createInstallation({ cwd: folder, command: [process.execPath] }).run("script.mjs", ...args)
}

const script = `
import { openMemory } from "reverie/memory"
const open = () => openMemory({ home: process.argv[2], settings: { embedding: { model: "none" } } })
const first = await open()
await first.remember({ content: ${JSON.stringify(deploy)}, project: "shop" })
await first.remember({ content: "Never push to main", type: "negative", project: "shop" })
const session = first.session({ id: "one", project: "shop", tool: "bot" })
const started = await session.start()
const user = await session.turn({ role: "user", text: "Make the page blue" })
const failed = await session.turn({ role: "tool", text: "Error: deploy script needs flag production", isError: true })
const assistant = await session.turn({ role: "assistant", text: "I see." })
await session.end()
await first.close()
const second = await open()
const other = second.session({ id: "two", project: "shop", tool: "bot" })
const asked = await other.turn({ role: "user", text: ${JSON.stringify(prompt)} })
await second.undo()
await second.close()
console.log(JSON.stringify({ started, user, failed, assistant, asked }))
`

describe("a session of the library", () => {
  it("brings memories up by itself, as plain data", async () => {
    const file = join(throwawayFolder(), "given.mjs")
    writeFileSync(file, script)
    const { code, stdout, stderr } = await runScript(file, throwawayFolder())
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const told = JSON.parse(stdout)
    expect(told.started.surfaced.map(({ content }: { content: string }) => content)).toEqual([
      "Never push to main",
      deploy,
    ])
    expect(told.started.text).toContain("<reverie-memory")
    expect(told.user).toEqual({ surfaced: [], text: "" })
    expect(told.assistant).toEqual({ surfaced: [], text: "" })
    expect(told.asked.surfaced).toMatchObject([{ content: deploy, type: "fact" }])
    const keys = ["id", "sourceId", "content", "type", "score", "via", "origin", "at", "isRule"]
    expect(Object.keys(told.asked.surfaced[0])).toEqual(keys)
  })
})

describeWithModel("The example of a session", () => {
  it("runs as it stands and says what it promises", async () => {
    const { code, stdout, stderr } = await runScript(join(root, "examples/recall.mjs"))
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(/Before the first prompt:[\s\S]*prefers pnpm/)
    expect(stdout).toMatch(/test the payments page\?" \[[\s\S]*Payments are tested/)
    expect(stdout).toMatch(
      /run the migration" \[[\s\S]*Never run migrations on Fridays[\s\S]*trigger migrat\*/,
    )
  })
})
