import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { createPlainInstallation } from "../../testkit/program/program.ts"
import { add, contents, expectSentence } from "../../testkit/sessions/told.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"

interface Changed {
  outcome: string
  operation: string
  memories: { id: string; content: string; status: string; tags: string[]; supersededBy: string | null }[]
}

describeDatabases("User control", (create) => {
  const install = async () => createPlainInstallation({ databaseUrl: (await create()).url })

  test("a memory is edited, forgotten, restored and tagged, and each is undone", async () => {
    const installation = await install()
    const { json, run } = installation
    const id = await add(installation, "The port is 5433", "--tag", "infra")
    const edit = [
      "memory",
      "edit",
      id.slice(-6),
      "The port is",
      "5434",
      "--type",
      "correction",
      "--tag",
      "net",
    ]
    expect(await json<Changed>(...edit, "--confidence", "0.7", "--trigger", "port")).toMatchObject({
      outcome: "edited",
      memories: [
        {
          id,
          content: "The port is 5434",
          type: "correction",
          tags: ["net"],
          source: "user-corrected",
          version: 2,
        },
      ],
    })
    expect((await json<{ results: object[] }>("memory", "search", "5434", "--sure")).results).toHaveLength(1)
    expect((await json<{ results: object[] }>("memory", "search", "5433", "--sure")).results).toHaveLength(0)
    expect(
      await json("memory", "edit", id, "--clear", "triggers", "--scope", "project", "--project"),
    ).toMatchObject({
      memories: [{ triggers: [], scope: "project", content: "The port is 5434" }],
    })
    expect(await json("memory", "tag", id, "Fresh", "net", "--remove", "net")).toMatchObject({
      memories: [{ tags: ["fresh"] }],
    })
    expect((await run("memory", "tag", id, "fresh")).stderr).toMatch(/No change/)
    expect(await json("memory", "forget", id)).toMatchObject({ memories: [{ status: "forgotten" }] })
    expect(await contents(installation)).toEqual([])
    expect(await json("memory", "restore", id)).toMatchObject({ memories: [{ status: "active" }] })
    for (let step = 0; step < 5; step += 1) expect(await run("undo")).toMatchObject({ code: 0 })
    expect(await json("memory", "show", id)).toMatchObject({
      content: "The port is 5433",
      version: 1,
      type: "fact",
      scope: "global",
      tags: ["infra"],
      source: "user-stated",
      confidence: 1,
    })
  })

  test("shows the fields that only some memories have", async () => {
    const { json, run } = await install()
    const { id } = await json<{ id: string }>("memory", "add", "Brew the tea before the release")
    const edits = ["--trigger", "tea", "--context", "lunch", "--season", "winter", "--recency-weight", "0.4"]
    await run("memory", "edit", id, ...edits, "--step", "boil", "--step", "pour", "--audience", "bob")
    const { stdout } = await run("memory", "show", id)
    for (const row of [/^audience +bob$/m, /^triggers +tea$/m, /^context +lunch$/m, /^steps +boil; pour$/m])
      expect(stdout).toMatch(row)
    expect(stdout).toMatch(/^season +winter$/m)
    expect(stdout).toMatch(/^recency weight +0.4$/m)
    expect(stdout).not.toMatch(/^warnings/m)
  })

  test("of two edits at once one is refused, and the same edit sent twice is done once", async () => {
    const installation = await install()
    const id = await add(installation, "first text")
    const { client } = await installation.daemonHere()
    const edits = ["second text", "third text"].map((content) => client.edit(id, { content, version: 1 }))
    const ended = await Promise.allSettled(edits)
    const refused = ended.find((one) => one.status === "rejected")
    expect(ended.filter((one) => one.status === "fulfilled")).toHaveLength(1)
    expect(String(refused?.reason)).toMatch(/was changed meanwhile by test \(op_\w+\); look at it/)
    const again = "op_sametwice1"
    const first = await client.edit(id, { content: "fourth text" }, again)
    expect(await client.edit(id, { content: "fourth text" }, again)).toEqual(first)
    expect(await client.show(id)).toMatchObject({ content: "fourth text", version: 3 })
    await expect(client.forget({ ids: [id] }, again)).rejects.toThrow("used before for something else")
  })

  test("links are made, weighed and taken away; nothing is linked in a circle or to itself", async () => {
    const installation = await install()
    const [a, b, c] = [
      await add(installation, "The kettle is on the stove"),
      await add(installation, "Ines studies glaciers"),
      await add(installation, "Invoices carry a stamp"),
    ]
    const { client } = await installation.daemonHere()
    const link = (source: string, kind: "supersedes" | "relates-to" | "derived-from", target: string) =>
      client.link({ source, kind, target })
    expect(await link(a, "supersedes", b)).toMatchObject({
      outcome: "linked",
      memories: [{ id: b, status: "superseded", supersededBy: a }],
    })
    await link(c, "supersedes", a)
    await expect(link(b, "supersedes", c)).rejects.toThrow(`${c} already replaces ${b}`)
    await expect(link(b, "supersedes", a)).rejects.toThrow(`${a} already replaces ${b}`)
    await expect(link(a, "relates-to", a)).rejects.toThrow("cannot be linked to itself")
    await link(a, "derived-from", c)
    await expect(link(c, "derived-from", a)).rejects.toThrow("already comes from")
    await client.link({ source: a, kind: "relates-to", target: b, weight: 0.4 })
    await client.link({ source: b, kind: "relates-to", target: a, weight: 0.9 })
    const related = (await client.show(b)).edges.filter(({ kind }) => kind === "relates-to")
    expect(related).toEqual([{ source: a, kind: "relates-to", target: b, weight: 0.9 }])
    const removed = await client.link({ source: a, kind: "supersedes", target: b, remove: true })
    expect(removed).toMatchObject({ memories: [{ id: b, status: "active", supersededBy: null }] })
    await expect(client.link({ source: a, kind: "supersedes", target: b, remove: true })).rejects.toThrow(
      "There is no link",
    )
    expect(await client.undo()).toMatchObject({ undid: removed.operation })
    const second = await add(installation, "Our logo has an owl in it")
    await link(second, "supersedes", b)
    const first = await client.link({ source: second, kind: "supersedes", target: b, remove: true })
    expect(first).toMatchObject({ memories: [{ id: b, status: "superseded", supersededBy: a }] })
    expect(await client.show(b)).toMatchObject({ status: "superseded", supersededBy: a })
    expect(await installation.run("memory", "link", a, "knows", b)).toMatchObject({ code: 2 })
  })

  test("a restored memory stands in conflict with what replaced it until somebody decides", async () => {
    const installation = await install()
    const { json, run } = installation
    const old = await add(installation, "The default branch is main")
    const replaced = await json<{ id: string }>("memory", "add", "The default branch is trunk")
    const now = replaced.id
    expect(replaced).toMatchObject({ outcome: "superseded", related: [old] })
    await run("memory", "restore", old)
    const listed = await json<{ conflicts: { memories: { id: string }[] }[] }>("memory", "conflicts")
    expect(listed.conflicts.map(({ memories }) => memories.map(({ id }) => id))).toEqual([[now, old]])
    const open = async () => (await json<{ conflicts: object[] }>("memory", "conflicts")).conflicts.length
    expect(await json("memory", "resolve", old, "--keep", "both")).toMatchObject({ outcome: "resolved" })
    expect(await open()).toBe(0)
    expect(await json("memory", "show", old)).toMatchObject({ details: { compatibleWith: [now] } })
    // Decided once: what is replaced by hand and restored is no conflict again.
    await run("memory", "link", now, "supersedes", old)
    await run("memory", "restore", old)
    expect(await open()).toBe(0)
    for (let steps = 0; steps < 3; steps += 1) await run("undo")
    expect(await open()).toBe(1)
    // Lists show the ends of ids; they name the one to keep as well.
    const ends = [old.slice(-6), now.slice(-6)]
    expect(await json("memory", "resolve", ...ends, "--keep", now)).toMatchObject({
      memories: [{ id: old, status: "superseded", supersededBy: now }],
    })
    expect(await open()).toBe(0)
    expectSentence(await run("memory", "resolve", old, "--keep", "this"), 1, /is in no conflict/)
    expect((await run("memory", "conflicts")).stderr).toMatch(/No conflicts/)
  })

  test("conflicts are shown to who may see both sides", async () => {
    const installation = await install()
    const { json, run, home } = installation
    const a = await add(installation, "Here we use tabs", "--project", home)
    const b = await add(installation, "Everywhere we use spaces")
    await run("memory", "link", a, "contradicts", b)
    const seen = async (...args: string[]) =>
      (await json<{ conflicts: object[] }>("memory", "conflicts", ...args)).conflicts.length
    expect(await seen()).toBe(1)
    expect(await seen("--project", "/")).toBe(0)
    expect(await seen("--all-projects")).toBe(1)
  })

  test("history tells every change in words, why tells what a memory stands on", async () => {
    const installation = await install()
    const { json, run } = installation
    const other = await add(installation, "Tests run with jest")
    const id = await add(installation, "Tests run with vitest", "--tag", "test", "--session", "s-9")
    await run("memory", "edit", id, "Tests run with vitest 5")
    await run("memory", "rate", id, "helpful")
    const history = (await run("memory", "history", id)).stdout
    expect(history).toMatch(/memory\.saved +by cli, op_\w+\n {2}Tests run with vitest\n/)
    expect(history).toMatch(/edge\.added .*\n {2}m_\w+ supersedes m_\w+/)
    expect(history).toMatch(/memory\.edited .*\n {2}content: Tests run with vitest → Tests run with vitest 5/)
    expect(history).toMatch(/strength: 1 → 2\n/)
    expect((await run("memory", "history", other)).stdout).toMatch(
      /memory\.superseded .*\n {2}status: active → superseded/,
    )
    const why = (await run("memory", "why", id, "--query", "vitest")).stdout
    expect(why).toMatch(/The user corrected it to this, on \d{4}-\d\d-\d\d, in session s-9\./)
    expect(why).toMatch(
      /confidence now is 1 of 1: 1 × 1 × 1\.069 × 1 = 1, and no more than 1\..*halves every 30 days/,
    )
    expect(why).toMatch(/It replaced m_\w+ "Tests run with jest" \(superseded\)\./)
    expect(why).toMatch(/"vitest" finds it as number 1 of 1, with score [\d.]+, by text/)
    expect(await json("memory", "why", other, "--query", "jest")).toMatchObject({
      supersededBy: { id },
      finding: { found: false, reason: expect.stringMatching(/it is superseded/) },
    })
    expect(await json("memory", "why", id, "--query", "kubernetes")).toMatchObject({
      finding: { found: false, reason: expect.stringMatching(/shares no word with the query/) },
    })
    await run("memory", "edit", id, "--scope", "project", "--project")
    expect(await json("memory", "why", id, "--query", "vitest", "--project", "/")).toMatchObject({
      finding: { found: false, reason: expect.stringMatching(/another project/) },
    })
    const undone = await json<{ undid: string }>("undo")
    expect((await run("memory", "history", id)).stdout).toContain(`undoing ${undone.undid}`)
  })

  test("stats count everything", async () => {
    const installation = await install()
    const { json, run, home } = installation
    const a = await add(installation, "one", "--tag", "x", "--project", home)
    const b = await add(installation, "two", "--tag", "x", "--type", "preference")
    const c = await add(installation, "three")
    await run("memory", "link", a, "contradicts", b)
    await run("memory", "forget", c)
    // The garden would archive what has faded.
    await run("config", "set", "ambient.enabled", "false")
    const { client } = await installation.daemonHere()
    const lines = '{"content":"faded","type":"observation","createdAt":"2019-01-01","confidence":0.9}\n'
    await client.import({ body: new Blob([lines]).stream(), verbatim: true, onProgress: () => {} })
    expect(await json("memory", "stats")).toMatchObject({
      counts: {
        total: 4,
        status: { active: 3, forgotten: 1, archived: 0 },
        type: { fact: 1, preference: 1, observation: 1 },
        scope: { global: 2, project: 1 },
        source: { "user-stated": 3 },
        projects: [{ memories: 1 }],
        tags: [{ name: "x", memories: 2 }],
        edges: { "has-tag": 2, contradicts: 1 },
        conflicts: 1,
        expired: 1,
        faint: 0,
        vectors: [],
        withoutVector: null,
        textBytes: 16,
      },
      oldest: "2019-01-01T00:00:00.000Z",
    })
    expect((await run("memory", "stats")).stdout).toMatch(/conflicts +1 open/)
  })

  test("what helps is believed more, what withers goes to the archive, and both are undone", async () => {
    const installation = await install()
    const { json, run, home } = installation
    const id = await add(installation, "helps")
    await json("memory", "edit", id, "--confidence", "0.5")
    expect(await json("memory", "rate", id, "helpful")).toMatchObject({
      memories: [{ confidence: 0.55, strength: 2, accessCount: 1, details: { helpful: 1 } }],
    })
    expect(await json("memory", "rate", id, "unhelpful")).toMatchObject({
      memories: [{ confidence: 0.45, strength: 2, accessCount: 2, details: { helpful: 1, unhelpful: 1 } }],
    })
    const lines = [
      { content: "expired", type: "observation", createdAt: "2019-01-01" },
      { content: "expired too", type: "observation", createdAt: "2018-01-01" },
      { content: "faint", confidence: 0.08 },
    ]
    writeFileSync(join(home, "in.jsonl"), lines.map((line) => JSON.stringify(line)).join("\n"))
    await run("memory", "import", join(home, "in.jsonl"))
    expect(await json("memory", "prune", "--dry-run")).toMatchObject({
      expired: [{ content: "expired too" }, { content: "expired" }],
      faint: [{ content: "faint" }],
      counts: { expired: 2, faint: 1 },
    })
    expect(await contents(installation)).toHaveLength(4)
    expect(await json("memory", "prune", "--limit", "1")).toMatchObject({
      outcome: "pruned",
      memories: [{ content: "expired too", status: "archived" }],
      counts: { expired: 1, faint: 1 },
    })
    expect((await run("memory", "prune")).stderr).toMatch(/Archived 1 memory\..*\n1 more are faint/)
    expect(await contents(installation, "--status", "archived")).toHaveLength(2)
    await run("undo")
    await run("undo")
    expect(await contents(installation)).toHaveLength(4)
  })

  test("an export of one project holds that project and nothing else", async () => {
    const installation = await install()
    const { run, home } = installation
    const mine = await add(installation, "mine", "--tag", "t", "--project", home)
    const also = await add(installation, "also mine", "--project", home)
    const theirs = await add(installation, "theirs", "--tag", "u")
    await run("memory", "link", mine, "relates-to", also)
    await run("memory", "link", mine, "relates-to", theirs)
    const { stdout } = await run("memory", "export", "--project", home)
    const exported = JSON.parse(stdout)
    expect(exported.memories.map(({ id }: { id: string }) => id)).toEqual([mine, also])
    expect(exported.projects).toHaveLength(1)
    expect(exported.tags).toEqual([{ name: "t", memories: 1 }])
    expect(exported.edges.map(({ target }: { target: string }) => target).sort()).toEqual(
      ["tag:t", also].sort(),
    )
    expect(stdout).not.toContain('"theirs"')
    const markdown = (await run("memory", "export", "--project", home, "--format", "markdown")).stdout
    expect(markdown).toContain("- mine #t")
    expect(markdown).not.toContain("theirs")
    const file = join(home, "part.json")
    writeFileSync(file, stdout)
    const other = createPlainInstallation()
    expect(await other.json("memory", "import", file)).toMatchObject({ saved: 2, failed: 0 })
    expectSentence(await run("memory", "export", "--project", "/"), 1, /There are no memories of the project/)
  })
})
