import { readFileSync, writeFileSync } from "node:fs"
import { expect, test } from "vitest"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { openDashboard } from "../../testkit/web/dashboard.ts"

describeDatabases("What a dashboard asks for", (create) => {
  test("the graph: newest first, with clusters, projects and the edges between what is given", async () => {
    const { client, life } = await openDashboard(create)
    const graph = await client.graph({ allProjects: "true" })
    expect(graph.total).toBe(21)
    expect(graph.nodes).toHaveLength(21)
    expect(graph.projects.map(({ name }) => name)).toEqual(["harbour-site", "tidewater"])
    const named = graph.edges.map(({ source, target, kind }) => [
      graph.nodes[source]?.id,
      kind,
      graph.nodes[target]?.id,
    ])
    expect(named).toContainEqual([life.conflict[0], "contradicts", life.conflict[1]])
    const few = await client.graph({ allProjects: "true", limit: 3 })
    expect(few.nodes).toEqual(
      graph.nodes.slice(0, 3).map((node) => ({ ...node, project: expect.any(Number) })),
    )
    expect(few).toMatchObject({ total: 21, edges: [] })
    const own = await client.graph({ project: "tidewater" })
    expect(own.nodes.length).toBeLessThan(21)
    expect(own.nodes.some(({ id }) => id === life.told)).toBe(true)
    await client.forget({ ids: [life.told] })
    expect((await client.graph({ allProjects: "true" })).nodes.some(({ id }) => id === life.told)).toBe(false)
  })

  test("where a memory comes from: the very turn, when it came up, how far it was believed", async () => {
    const { client, life } = await openDashboard(create)
    const { session, turns, surfaced, confidence } = await client.provenance(life.told)
    expect(session).toMatchObject({ id: life.session, tool: "claude-code", learned: 1 })
    expect(turns.filter(({ isSource }) => isSource).map(({ text }) => text)).toEqual([
      expect.stringMatching(/^Ah, right: the staging database runs on port 5433/),
    ])
    expect(turns.map(({ position }) => position)).toEqual([1, 2, 3])
    expect(surfaced.map(({ tool, turn }) => [tool, turn])).toEqual([
      ["codex", 1],
      ["opencode", 2],
    ])
    const [first, ...rest] = confidence.past
    expect(first?.confidence).toBeGreaterThan(0.5)
    expect(rest.some(({ confidence: now }) => now < (first?.confidence ?? 0))).toBe(true)
    expect(confidence.past.at(-1)?.confidence).toBeCloseTo((await client.show(life.told)).confidenceNow, 2)
    expect(confidence.ahead.at(-1)?.confidence).toBeLessThan(confidence.ahead[0]?.confidence ?? 0)
    expect((await client.sessionSurfaced("codex:sample-1")).surfaced[0]?.memories[0]).toMatchObject({
      id: life.told,
      helpful: 1,
    })
    await expect(client.provenance("m_nothing")).rejects.toThrow(/no memory/)
  })

  test("search while the last word is still being typed", async () => {
    const { client, life } = await openDashboard(create)
    const found = async (query: string, typing: "true" | "false") =>
      (await client.search({ query, typing, allProjects: "true" })).results.map(({ id }) => id)
    await expect.poll(() => found("metrics colle", "true")).toContain(life.told)
    expect(await found("colle", "false")).not.toContain(life.told)
    expect((await found("colle", "true"))[0]).toBe(life.told)
    expect(await found("colle ", "true")).not.toContain(life.told)
    expect(await found("qqqqx", "true")).toEqual([])
  })

  test("today: what was learned, what came up, what was done, what needs the person", async () => {
    const { client, life } = await openDashboard(create)
    const today = await client.today()
    expect(today.learned.memories.map(({ content }) => content)).toContain(
      "Jonas is away until the first of December; ask Mira about the export.",
    )
    expect(today.learned.memories.some(({ id }) => id === life.told)).toBe(false)
    expect(today.surfaced).toMatchObject([
      { session: "codex:sample-1", title: "Make the upload test less flaky" },
    ])
    expect(today.cycles.map(({ id }) => id)).toContain(life.cycle)
    expect(today.needsYou).toMatchObject({ requests: [{ id: life.request }], conflicts: 1, notes: 0 })
    expect((await client.today({ hours: 700 })).learned.count).toBeGreaterThan(today.learned.count)
    const { changes } = await client.cycleChanges(life.cycle)
    expect(changes.map(({ kind }) => kind)).toEqual(["memory.tagged", "memory.tagged"])
    expect(changes[0]?.changes).toContainEqual({
      field: "tags",
      from: expect.any(Array),
      to: expect.arrayContaining(["infra"]),
    })
  })

  test("settings: what each means, a difference before anything is written, and no writing over others' changes", async () => {
    const { client, installation } = await openDashboard(create)
    const file = installation.paths.configFile
    writeFileSync(file, `# mine\n${readFileSync(file, "utf8")}`)
    const { settings, afterRestart } = await client.config()
    expect(settings.find(({ key }) => key === "storage.snapshots_kept")).toMatchObject({
      value: 7,
      default: 7,
      help: expect.stringContaining("snapshots to keep"),
      expects: "a whole number from 1 to 1000",
    })
    expect(afterRestart).toEqual([])
    const before = readFileSync(file, "utf8")
    const changes = [
      { key: "storage.snapshots_kept", value: "3" },
      { key: "storage.url", value: "postgres://me:secret@db.example/reverie" },
    ]
    const { diff, digest } = await client.configDiff({ changes })
    expect(diff.join("\n")).toMatch(/\+snapshots_kept = 3/)
    expect(diff.join("\n")).not.toContain("secret")
    expect(readFileSync(file, "utf8")).toBe(before)
    await expect(
      client.configDiff({ changes: [{ key: "storage.snapshots_kept", value: "no" }] }),
    ).rejects.toThrow(/must be a whole number/)
    await expect(
      client.configDiff({ changes: [{ key: "storage.snapshot_kept", value: "3" }] }),
    ).rejects.toThrow(/did you mean storage\.snapshots_kept/)
    writeFileSync(file, `${before}\n# theirs\n`)
    const [first] = changes
    if (first === undefined) throw new Error("there is a change")
    await expect(client.configWrite({ changes: [first], digest })).rejects.toThrow(/changed meanwhile/)
    const again = await client.configDiff({ changes: [first] })
    expect(await client.configWrite({ changes: [first], digest: again.digest })).toMatchObject({
      outcome: "written",
      keys: ["storage.snapshots_kept"],
    })
    expect(readFileSync(file, "utf8")).toMatch(/^# mine\n[\s\S]*# theirs[\s\S]*snapshots_kept = 3/)
    expect((await client.config()).afterRestart).toEqual(["storage.snapshots_kept"])
    const { entries } = await client.journal({ kind: "config.changed" })
    expect(entries).toMatchObject([{ data: { keys: ["storage.snapshots_kept"] } }])
  })

  test("the doctor's findings from inside the daemon", async () => {
    const { client } = await openDashboard(create)
    const { checks } = await client.doctor()
    expect(checks.find(({ id }) => id === "daemon")).toMatchObject({ ok: true })
    expect(checks.find(({ id }) => id === "database.integrity")).toMatchObject({ ok: true })
  })
})
