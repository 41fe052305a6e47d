import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Answer } from "../../src/api/contract/answers.ts"
import type { EntryJson } from "../../src/api/contract/memory-answers.ts"
import { openMemory } from "../../src/library.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { connectStdio } from "../../testkit/program/mcp.ts"
import { createPlainInstallation, type Installation } from "../../testkit/program/program.ts"
import { expectSentence } from "../../testkit/sessions/told.ts"

async function journalOf({ run }: Installation): Promise<EntryJson[]> {
  const { stdout } = await run("journal", "--json")
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
}

describe("the machine's id", () => {
  it("stands on every entry of the journal, in exports, and stays what it was after an import", async () => {
    const first = createPlainInstallation()
    await first.run("memory", "add", "The port is 8080")
    const entries = await journalOf(first)
    const { id } = JSON.parse(readFileSync(first.paths.installFile, "utf8"))
    expect(entries.length).toBeGreaterThan(0)
    expect(new Set(entries.map(({ machine }) => machine))).toEqual(new Set([id]))
    const file = join(throwawayFolder(), "all.json")
    await first.run("memory", "export", file)
    expect(JSON.parse(readFileSync(file, "utf8")).history[0]).toMatchObject({ machine: id })
    const second = createPlainInstallation()
    await second.run("memory", "import", file)
    const other = JSON.parse(readFileSync(second.paths.installFile, "utf8")).id
    const there = await journalOf(second)
    expect(there.find(({ kind }) => kind === "memory.saved")).toMatchObject({ machine: id })
    expect(there.find(({ kind }) => kind === "import.finished")).toMatchObject({ machine: other })
  })
})

describe("memory similar", () => {
  it("shows the nearest memories with their scores, over the command line, the API and MCP", async () => {
    const installation = createPlainInstallation()
    const { run, json } = installation
    await run("memory", "add", "The deploy script needs the staging flag")
    await run("memory", "add", "The deploy script of the api needs the production flag")
    await run("memory", "add", "Tulips grow in the garden")
    const { memories } = await json<Answer<"list">>("memory", "list")
    const one = memories.find(({ content }) => content.includes("staging"))?.id ?? ""
    const { results } = await json<Answer<"similar">>("memory", "similar", one)
    expect(results.map(({ content }) => content)).toEqual([
      "The deploy script of the api needs the production flag",
    ])
    expect(results[0]?.score).toBeGreaterThan(0.3)
    expect(results[0]?.via).toEqual([expect.stringMatching(/^words 0\.\d\d$/)])
    expect((await run("memory", "similar", one)).stdout).toContain("production flag")
    expectSentence(await run("memory", "similar", "m_nothing"), 1, /m_nothing/)
    const mcp = await connectStdio(installation)
    const answer = await mcp.call("memory_similar", { id: one })
    expect(answer).toMatchObject({ results: [{ id: results[0]?.id }] })
  })
})

describe("what a tag means", () => {
  it("is said, shown, taken back, and travels with an export", async () => {
    const { run, json } = createPlainInstallation()
    await run("memory", "add", "The port is 8080", "--tag", "infra")
    const said = await json<Answer<"describeTag">>(
      "memory",
      "tags",
      "describe",
      "#Infra",
      "what",
      "runs",
      "where",
    )
    expect(said).toMatchObject({ tag: "infra", description: "what runs where" })
    const tags = async () => (await json<Answer<"tags">>("memory", "tags")).tags
    expect(await tags()).toMatchObject([{ name: "infra", description: "what runs where" }])
    expect((await run("memory", "tags")).stdout).toMatch(/infra\s+1\s+what runs where/)
    const file = join(throwawayFolder(), "all.json")
    await run("memory", "export", file)
    await run("memory", "tags", "describe", "infra", "servers")
    expect(await tags()).toMatchObject([{ description: "servers" }])
    await run("undo")
    expect(await tags()).toMatchObject([{ description: "what runs where" }])
    await run("memory", "tags", "describe", "infra")
    expect((await tags())[0]).not.toHaveProperty("description")
    const other = createPlainInstallation()
    await other.run("memory", "import", file)
    expect((await other.json<Answer<"tags">>("memory", "tags")).tags).toMatchObject([
      { name: "infra", description: "what runs where" },
    ])
    const again = join(throwawayFolder(), "again.json")
    await other.run("memory", "export", again)
    const listOf = (name: string) => JSON.parse(readFileSync(name, "utf8")).tags
    expect(listOf(again)).toEqual(listOf(file))
  })

  it("goes for good with the last memory that has the tag", async () => {
    const installation = createPlainInstallation()
    const { run, json } = installation
    await run("memory", "add", "The port is 8080", "--tag", "infra")
    await run("memory", "tags", "describe", "infra", "what", "heron", "runs", "on")
    const [memory] = (await json<Answer<"list">>("memory", "list")).memories
    await run("memory", "purge", memory?.id ?? "", "--yes")
    expect(JSON.stringify(await journalOf(installation))).not.toContain("heron")
    await run("memory", "add", "The port is 9090", "--tag", "infra")
    expect((await json<Answer<"tags">>("memory", "tags")).tags[0]).not.toHaveProperty("description")
  })

  it("is refused in a sentence for a tag that nothing has", async () => {
    const { run } = createPlainInstallation()
    expectSentence(
      await run("memory", "tags", "describe", "infra", "servers"),
      1,
      /No memory has the tag infra/,
    )
  })

  it("keeps secrets out", async () => {
    const { run, json } = createPlainInstallation()
    await run("memory", "add", "The port is 8080", "--tag", "infra")
    const key = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_")
    await run("memory", "tags", "describe", "infra", `what is reached with the key ${key}`)
    expect(JSON.stringify(await json<Answer<"tags">>("memory", "tags"))).not.toContain(key)
  })
})

describe("over MCP", () => {
  it("an agent says what a procedure needs, warns of, is tagged with and comes from", async () => {
    const installation = createPlainInstallation()
    const { run, json } = installation
    await run("memory", "add", "The registry wants a token")
    const [known] = (await json<Answer<"list">>("memory", "list")).memories
    const mcp = await connectStdio(installation)
    const saved = await mcp.call("memory_remember", {
      content: "Publish the package with the release script",
      type: "procedure",
      scope: "global",
      steps: ["build", "publish"],
      prerequisites: ["a token of the registry"],
      warnings: ["never from a dirty tree"],
      tags: ["release"],
      derived_from: [known?.id],
    })
    const shown = await json<Answer<"show">>("memory", "show", String(saved.id))
    expect(shown).toMatchObject({
      tags: ["release"],
      details: { prerequisites: ["a token of the registry"], warnings: ["never from a dirty tree"] },
    })
    expect(shown.edges).toContainEqual(expect.objectContaining({ kind: "derived-from", target: known?.id }))
  })
})

describe("our own sessions", () => {
  const turn = (role: "prompt" | "output", text: string) => ({ kind: role, text })

  it("told over HTTP are kept without secrets and our own words, listed, and learned from once they end", async () => {
    const project = throwawayFolder()
    const { json, daemonHere } = createPlainInstallation()
    const { client, entry } = await daemonHere()
    const session = { id: "support-1", tool: "helpdesk", project }
    const key = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_")
    await client.recallTurn({ session, happening: turn("prompt", "Never push directly to main.") })
    await client.recallTurn({ session, happening: turn("prompt", "Never push directly to main.") })
    await client.recallTurn({
      session,
      happening: turn(
        "output",
        `Understood; the deploy of the blue service goes on tonight with the key ${key} as before.`,
      ),
    })
    const fenced = '<reverie-memory id="x">\nAn old secret plan.\n</reverie-memory>'
    await client.recallTurn({ session, happening: turn("prompt", `${fenced}\nAnd what now?`) })
    await client.recallEnd({ session })
    expect((await entry("session.closed")).subject).toBe("helpdesk:support-1")
    const { sessions } = await json<Answer<"sessions">>("sessions")
    expect(sessions).toMatchObject([
      { id: "helpdesk:support-1", tool: "helpdesk", turns: 3, status: "closed", folder: project },
    ])
    expect((await json<Answer<"sessions">>("sessions", "--tool", "helpdesk")).sessions).toHaveLength(1)
    const shown = await json<Answer<"session">>("sessions", "show", "support-1")
    expect(shown.turns.map(({ role }) => role)).toEqual(["user", "assistant", "user"])
    expect(JSON.stringify(shown)).not.toContain(key)
    expect(JSON.stringify(shown)).not.toContain("secret plan")
    await entry("session.extracted")
    const { memories } = await json<Answer<"list">>("memory", "list", "--project", project)
    expect(memories).toMatchObject([
      { content: "Never push directly to main.", sessionId: "helpdesk:support-1", source: "extracted" },
    ])
  })

  it("are not kept a second time where a tool's own files tell of them, nor where a project says no", async () => {
    const { client, entry } = await createPlainInstallation().daemonHere()
    const say = (id: string, tool: string) =>
      client.recallTurn({ session: { id, tool }, happening: turn("prompt", "Never push directly to main.") })
    await say("codex:one", "codex")
    await say("claude-code:one", "other")
    await say("last", "reverie")
    expect((await entry("session.started")).subject).toBe("reverie:last")
    expect((await client.sessions({})).sessions.map(({ id }) => id)).toEqual(["reverie:last"])
  })

  it("of the library are kept, and belong to the installation whose home it uses", async () => {
    const installation = createPlainInstallation()
    const memory = await openMemory({ home: installation.home })
    const session = memory.session({ id: "one" })
    await session.turn({ role: "user", text: "Never push directly to main." })
    await session.turn({ role: "assistant", text: "Understood." })
    await session.turn({ role: "tool", tool: "shell", text: "Everything up-to-date" })
    await session.end()
    await memory.close()
    const { sessions } = await installation.json<Answer<"sessions">>("sessions")
    expect(sessions).toMatchObject([{ id: "reverie:one", turns: 3, status: "closed" }])
    expect((await installation.run("extract", "reverie:one")).stdout).toContain(
      "Never push directly to main.",
    )
  })
})
