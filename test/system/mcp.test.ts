import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { systemRandom } from "../../src/base/random.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import { sql } from "../../src/storage/sql.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import {
  connectHere,
  connectHttp,
  connectStdio,
  type Era,
  eras,
  installAnyPort,
  type McpClient,
} from "../../testkit/program/mcp.ts"

type Ways = Record<string, (era: Era) => Promise<McpClient>>

const ways: Ways = {
  "standard input, without a daemon": async (era) => connectStdio(installAnyPort(), { era }),
  "standard input, with a daemon": async (era) => {
    const installation = installAnyPort()
    await installation.daemonHere()
    return connectStdio(installation, { era })
  },
  HTTP: async (era) => {
    const installation = installAnyPort()
    await installation.daemonHere()
    return connectHttp(installation, { era, query: `?project=${encodeURIComponent(throwawayFolder())}` })
  },
}

interface Told {
  outcome: string
  id: string
}

describe.each(Object.keys(eras) as Era[])("An agent that speaks MCP of %s", (era) => {
  test.each(Object.keys(ways))("uses memory over %s", async (way) => {
    const { client, call } = await (ways[way] as (typeof ways)[string])(era)
    expect(client.getNegotiatedProtocolVersion()).toBe(era)
    expect(client.getServerVersion()).toMatchObject({ name: "reverie" })
    expect(await call("memory_search", { query: "staging port" })).toMatchObject({
      results: [],
      abstained: true,
    })

    const text = "The staging database runs on port 5433"
    const told = { content: text }
    const first = await call<Told>("memory_remember", { ...told, tags: ["infra"] })
    expect(first).toMatchObject({ schemaVersion: 1, outcome: "saved" })
    expect(await call("memory_remember", told)).toMatchObject({ outcome: "reinforced", id: first.id })
    const second = await call<Told>("memory_remember", {
      content: "Backups are made with restic",
    })

    expect(await call("memory_search", { query: "staging port" })).toMatchObject({
      results: [{ id: first.id, content: text, tags: ["infra"], label: "noted by an agent" }],
      abstained: false,
    })
    // A session is not told what it noted itself; over HTTP there is none.
    const recalled = await call<{ memories: { id: string }[] }>("memory_recall_context", {
      text: "which port has the staging database?",
    })
    expect(recalled.memories.map(({ id }) => id)).toEqual(way === "HTTP" ? [first.id] : [])
    const said = await client.callTool({ name: "memory_search", arguments: { query: "staging port" } })
    expect(said.content).toMatchObject([
      {
        text: expect.stringMatching(
          /^<reverie-memory>\n- \[m_\w+\] The staging .* \(fact; noted by an agent, .*\)\n<\/reverie-memory>$/,
        ),
      },
    ])
    expect(await call("memory_edit", { id: first.id, tags: ["db", "infra"] })).toMatchObject({
      outcome: "edited",
      memories: [{ id: first.id, tags: ["db", "infra"] }],
    })
    expect(await call("memory_list", { tag: "infra" })).toMatchObject({
      memories: [{ id: first.id }],
      next: null,
    })

    await call("memory_tag", { ids: [second.id], add: ["ops"] })
    await call("memory_link", { source: first.id, kind: "relates-to", target: second.id })
    await call("memory_rate", { id: second.id, rating: "helpful" })
    expect(await call("memory_show", { id: second.id })).toMatchObject({
      content: "Backups are made with restic",
      tags: ["ops"],
      source: "observed",
      strength: 2,
      details: { helpful: 1 },
      edges: expect.arrayContaining([expect.objectContaining({ kind: "relates-to", source: first.id })]),
    })
    const history = await call<{ events: { kind: string; actor: string }[] }>("memory_history", {
      id: second.id,
    })
    expect(history.events.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["memory.saved", "memory.tagged", "memory.rated", "edge.added"]),
    )
    const shown = await client.callTool({ name: "memory_history", arguments: { id: second.id } })
    expect(JSON.stringify(shown.content)).toContain(`${first.id} relates-to ${second.id}`)
    expect(new Set(history.events.map(({ actor }) => actor))).toEqual(new Set(["mcp"]))
    expect(await call("memory_why", { id: first.id, query: "staging" })).toMatchObject({
      memory: { id: first.id },
      sentences: expect.arrayContaining([expect.stringContaining("It was noted by an agent")]),
      finding: { found: true, rank: 1 },
    })

    expect(await call("memory_forget", { ids: [first.id] })).toMatchObject({
      outcome: "forgotten",
      memories: [{ id: first.id, status: "forgotten" }],
    })
    expect(await call("memory_search", { query: "staging port" })).toMatchObject({ results: [] })
    expect(await call("ambient_status")).toMatchObject({
      running: !way.includes("without"),
      queue: { count: 0, next: null },
      memory: { active: 1, total: 2, enabled: true },
    })

    const stats = await client.readResource({ uri: "memory://stats" })
    expect(JSON.parse((stats.contents[0] as { text: string }).text)).toMatchObject({ counts: { total: 2 } })
    const item = await client.readResource({ uri: `memory://item/${second.id}` })
    expect(JSON.parse((item.contents[0] as { text: string }).text)).toMatchObject({ id: second.id })
    await expect(client.readResource({ uri: "memory://item/m_nothing" })).rejects.toThrow(/m_nothing/)
    const prompt = await client.getPrompt({ name: "recall", arguments: { topic: "backups" } })
    expect(prompt.messages[0]?.content).toMatchObject({
      text: expect.stringMatching(/<reverie-memory>\n.*restic\n<\/reverie-memory>/),
    })
    const isAlone = way.includes("without")
    const ambient = await client.getPrompt({ name: "ambient" })
    expect(ambient.messages[0]?.content).toMatchObject({
      text: expect.stringMatching(/tending:\n\n<reverie-memory>\n\{\n {2}"status": "\w+"/),
    })
    const consolidate = await client.getPrompt({ name: "consolidate" })
    expect(consolidate.messages[0]?.content).toMatchObject({
      text: expect.stringContaining(isAlone ? "The daemon is not running" : "I have asked Reverie to tend"),
    })
  })

  test("sees few tools, in a fixed order, each with what a program wants to know before it asks", async () => {
    const { client } = await connectHere(installAnyPort(), { era })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      "memory_search",
      "memory_recall_context",
      "memory_remember",
      "memory_list",
      "memory_show",
      "memory_similar",
      "memory_edit",
      "memory_forget",
      "memory_link",
      "memory_tag",
      "memory_rate",
      "memory_history",
      "memory_why",
      "ambient_status",
    ])
    expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThan(12_000)
    for (const { title, description, annotations, inputSchema } of tools) {
      expect(title).toBeTruthy()
      expect(description?.length).toBeGreaterThan(20)
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false })
      expect(annotations).toMatchObject({ openWorldHint: false, readOnlyHint: expect.any(Boolean) })
    }
    const changing = tools.filter(({ annotations }) => !annotations?.readOnlyHint).map(({ name }) => name)
    expect(changing).toEqual([
      "memory_remember",
      "memory_edit",
      "memory_forget",
      "memory_link",
      "memory_tag",
      "memory_rate",
    ])
    expect(tools.filter(({ annotations }) => annotations?.destructiveHint).map(({ name }) => name)).toEqual([
      "memory_edit",
      "memory_forget",
      "memory_link",
      "memory_tag",
    ])
    expect(client.getServerCapabilities()).not.toHaveProperty("logging")
  })
})

describe("What an agent gets wrong", () => {
  test("is told in one sentence, and nothing is done", async () => {
    const { refused, call } = await connectHere(installAnyPort())
    expect(await refused("memory_search")).toBe("Wrong input for memory_search: The query is missing.")
    expect(await refused("memory_search", { query: "x", tag: "a" })).toBe(
      "memory_search does not take tag; it takes query, limit, unlikely, project, all_projects.",
    )
    expect(await refused("memory_remember", { content: "x", source: "user-stated" })).toMatch(
      /^memory_remember does not take source; it takes content, /,
    )
    expect(await refused("memory_remember", { content: "x", type: "thought" })).toMatch(
      /: The type must be one of fact, .*not "thought"\.$/,
    )
    expect(await call("memory_remember", { content: "  " })).toMatchObject({ outcome: "refused" })
    expect(await refused("memory_show", { id: "m_nothing" })).toMatch(/m_nothing/)
    expect(await refused("memory_forget", { ids: [] })).toMatch(/: There are too few ids: at least 1\.$/)
    expect(await refused("memory_search", { query: "x", project: "/nowhere/at/all" })).toBe(
      "The project folder /nowhere/at/all does not exist; give an existing one.",
    )
    expect(await call("memory_list", { all_projects: true, limit: "5" })).toMatchObject({ memories: [] })
  })

  test("is told in one sentence of a prompt without its topic too", async () => {
    const { client } = await connectHere(installAnyPort())
    const recall = (given: Record<string, string>) => client.getPrompt({ name: "recall", arguments: given })
    await expect(recall({})).rejects.toThrow(/Invalid arguments for prompt recall: The topic is missing\.$/)
    await expect(recall({ topic: "" })).rejects.toThrow(/: The topic is empty; give one\.$/)
    const { prompts } = await client.listPrompts()
    expect(prompts.find(({ name }) => name === "recall")?.arguments).toEqual([
      { name: "topic", description: "What it is about.", required: true },
    ])
  })

  test("stays as small as what memory may hold", async () => {
    const { call } = await connectHere(installAnyPort())
    expect(await call("memory_remember", { content: "x".repeat(2_000_000) })).toMatchObject({
      outcome: "refused",
      reason: expect.stringContaining("memory.longest_text"),
    })
    const installation = installAnyPort()
    await installation.daemonHere()
    for (const { call: ask } of [await connectHere(installation), await connectHttp(installation)]) {
      expect(await ask("memory_search", { query: "訊".repeat(10_000) })).toMatchObject({ results: [] })
      expect(await ask("memory_recall_context", { text: "wörter ".repeat(14_000) })).toMatchObject({
        memories: [],
      })
    }
  })
})

describe("memory_recall_context", () => {
  test.each(["with", "without"])("tells each session once, %s a daemon", async (daemon) => {
    const installation = installAnyPort()
    if (daemon === "with") await installation.daemonHere()
    // However busy the machine is, a search is waited for: one that comes late tells with the next prompt.
    await installation.run("config", "set", "recall.wait_ms", "2000")
    await installation.run("add", "The staging database runs on port 5433")
    const ask = async ({ call }: McpClient) =>
      (
        await call<{ memories: { content: string }[] }>("memory_recall_context", {
          text: "which port has the staging database?",
        })
      ).memories.map(({ content }) => content)
    const agent = await connectHere(installation)
    expect(await ask(agent)).toEqual(["The staging database runs on port 5433"])
    expect(await ask(agent)).toEqual([])
    expect(await ask(await connectHere(installation))).toHaveLength(1)
  })
})

describe("Where a memory belongs", () => {
  /** A repository with a second worktree. */
  function repository(): { main: string; worktree: string } {
    const folder = throwawayFolder()
    const main = join(folder, "main")
    const worktree = join(folder, "second")
    mkdirSync(main)
    const git = (...args: string[]) => execFileSync("git", ["-C", main, ...args], { stdio: "ignore" })
    git("init")
    git("-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "--allow-empty", "-m", "x")
    git("worktree", "add", worktree)
    return { main, worktree }
  }

  test("is the project that the server was started in, or the one a call names", async () => {
    const installation = installAnyPort()
    const { main, worktree } = repository()
    const other = throwawayFolder()
    const here = await connectHere(installation, { cwd: main })
    await here.call("memory_remember", { content: "Releases are cut on Tuesdays" })
    await here.call("memory_remember", { content: "Releases need a changelog", project: other })
    const global = { content: "Releases are announced by mail", scope: "global" }
    const waiting = await here.call<Told & { reason: string }>("memory_remember", global)
    expect(waiting.reason).toMatch(
      /^Search does not find it until the user confirms it: `reverie memory restore m_\w+`\.$/,
    )
    await installation.run("memory", "restore", waiting.id)
    await here.call("memory_remember", { content: "Releases wait for Ines today", scope: "session" })
    const found = async (mcp: McpClient, more: object = {}) => {
      const { results } = await mcp.call<{ results: { content: string }[] }>("memory_search", {
        query: "releases",
        ...more,
      })
      return results.map(({ content }) => content.split(" ").slice(1).join(" ")).sort()
    }
    const everywhere = "are announced by mail"
    expect(await found(here)).toEqual([everywhere, "are cut on Tuesdays", "wait for Ines today"])
    expect(await found(await connectHere(installation, { cwd: worktree }))).toEqual([
      everywhere,
      "are cut on Tuesdays",
    ])
    expect(await found(here, { project: other })).toContain("need a changelog")
    const named = await connectHere(installation, { cwd: main, args: ["--project", other] })
    expect(await found(named)).toEqual([everywhere, "need a changelog"])
    await installation.daemonHere()
    const http = await connectHttp(installation, { query: `?project=${encodeURIComponent(main)}` })
    expect(await found(http)).toEqual([everywhere, "are cut on Tuesdays"])
    expect(await found(await connectHttp(installation))).toEqual([everywhere])
  })

  test("is nowhere in particular over HTTP, where there is neither folder nor session", async () => {
    const installation = installAnyPort()
    await installation.daemonHere()
    const { refused, call } = await connectHttp(installation)
    expect(await refused("memory_remember", { content: "x y", scope: "session" })).toMatch(/no session/)
    expect(await refused("memory_remember", { content: "x y", scope: "project" })).toMatch(/Give project/)
    expect(await refused("memory_search", { query: "x", project: "here" })).toMatch(/absolute path/)
    const { id } = await call<Told>("memory_remember", { content: "Tea is drunk at four" })
    expect(await call("memory_show", { id })).toMatchObject({ scope: "global", sessionId: null })
  })

  test("is everywhere for a program that was started at the root or in the home folder", async () => {
    const { call } = await connectHere(installAnyPort(), { cwd: "/" })
    const { id } = await call<Told>("memory_remember", { content: "Tea is drunk at four" })
    expect(await call("memory_show", { id })).toMatchObject({ scope: "global", projectName: null })
  })

  test("carries the connection as its session", async () => {
    const { call } = await connectHere(installAnyPort())
    const { id } = await call<Told>("memory_remember", { content: "Tea is drunk at four" })
    const { sessionId } = await call<{ sessionId: string }>("memory_show", { id })
    expect(sessionId).toMatch(/^reverie:mcp-[0-9a-z]{16}$/)
  })
})

describe("Secrets", () => {
  const secret = ["gh", "p_", "wK3vXq8ZtB5nLr2YpD7cJm4HsF9gTa6eQ1Ru"].join("")

  test("go neither into memory nor back to an agent", async () => {
    const installation = installAnyPort()
    const project = throwawayFolder()
    writeFileSync(join(project, ".env"), "DEPLOY_PHRASE=quiet-otters-drift-7731\n")
    const { call, refused } = await connectHere(installation, { cwd: project })
    const content = `The deploy token of the mirror is ${secret} and lasts a year`
    const { id } = await call<Told>("memory_remember", {
      content,
      tags: [secret],
      reason: `told with ${secret}`,
    })
    await call("memory_tag", { ids: [id], add: [secret] })
    const plain = await call<Told>("memory_remember", { content: "The mirror is deployed at night" })

    // As if it had been kept before its rule was known.
    const url = `sqlite:${installation.paths.databaseFile}`
    const db = await openDatabase({ url, file: "", clock: systemClock, random: systemRandom, log: silentLog })
    onTestFinished(() => db.close())
    const [before] = await db.read<{ content: string }>(sql`select content from memories where id = ${id}`)
    expect(before?.content).not.toContain(secret)
    const old = `The mirror is deployed with ${secret} and quiet-otters-drift-7731`
    await db.write((on) => on.run(sql`update memories set content = ${old} where id = ${plain.id}`))

    const said = [
      await call("memory_list", {}),
      await call("memory_show", { id: plain.id }),
      await call("memory_why", { id: plain.id, query: `the mirror ${secret}` }),
      await call("memory_search", { query: "mirror", unlikely: true }),
      await call("memory_recall_context", { text: "how is the mirror deployed?" }),
      await call("memory_forget", { ids: [plain.id] }),
      await refused("memory_show", { id: secret }),
      await refused("memory_show", { [secret]: "x" }),
    ].map((one) => JSON.stringify(one))
    expect(said.join()).not.toContain(secret)
    expect(said.join()).not.toContain("quiet-otters")
    expect(said[0]).toContain("The mirror is deployed with [")
  })
})
