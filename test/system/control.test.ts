import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { describeDatabases } from "../support/databases.ts"
import {
  createInstallation,
  createPlainInstallation,
  type Ended,
  type Installation,
} from "../support/program.ts"

const program = fileURLToPath(new URL("../../bin/reverie", import.meta.url))

interface Changed {
  outcome: string
  operation: string
  memories: { id: string; content: string; status: string; tags: string[]; supersededBy: string | null }[]
}

/** One sentence on stderr, nothing on stdout, this exit code. */
function expectSentence(ended: Ended, code: number, sentence: RegExp): void {
  expect(ended.stderr).toMatch(sentence)
  expect(ended.stderr.trimEnd().split("\n")).toHaveLength(1)
  expect(ended).toMatchObject({ code, stdout: "" })
}

async function add({ json }: Installation, ...args: string[]): Promise<string> {
  return (await json<{ id: string }>("memory", "add", ...args)).id
}

async function contents({ json }: Installation, ...args: string[]): Promise<string[]> {
  const { memories } = await json<{ memories: { content: string }[] }>("memory", "list", ...args)
  return memories.map(({ content }) => content)
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
    expect((await json<{ results: object[] }>("memory", "search", "5434")).results).toHaveLength(1)
    expect((await json<{ results: object[] }>("memory", "search", "5433")).results).toHaveLength(0)
    expect(
      await json("memory", "edit", id, "--clear", "triggers", "--scope", "project", "--project"),
    ).toMatchObject({
      memories: [{ triggers: [], scope: "project", content: "The port is 5434" }],
    })
    expect(await json("memory", "tag", id, "Fresh", "net", "--remove", "net")).toMatchObject({
      memories: [{ tags: ["fresh"] }],
    })
    expect((await run("memory", "tag", id, "fresh")).stderr).toMatch(/Nothing changed/)
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

  test("of two edits at once one is refused, and the same edit sent twice is done once", async () => {
    const installation = await install()
    const id = await add(installation, "first text")
    const { client } = await installation.daemon()
    const edits = ["second text", "third text"].map((content) => client.edit(id, { content, version: 1 }))
    const ended = await Promise.allSettled(edits)
    const refused = ended.find((one) => one.status === "rejected")
    expect(ended.filter((one) => one.status === "fulfilled")).toHaveLength(1)
    expect(String(refused?.reason)).toMatch(/was changed meanwhile by test \(op_\w+\); look at it/)
    const again = "op_sametwice1"
    const first = await client.edit(id, { content: "fourth text" }, again)
    expect(await client.edit(id, { content: "fourth text" }, again)).toEqual(first)
    expect(await client.show(id)).toMatchObject({ content: "fourth text", version: 3 })
    await expect(client.forget([id], again)).rejects.toThrow("used before for something else")
  })

  test("links are made, weighed and taken away; nothing is linked in a circle or to itself", async () => {
    const installation = await install()
    const [a, b, c] = [
      await add(installation, "The kettle is on the stove"),
      await add(installation, "Ines studies glaciers"),
      await add(installation, "Invoices carry a stamp"),
    ]
    const { client } = await installation.daemon()
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
    const old = await add(installation, "Deploys go out on Monday")
    const replaced = await json<{ id: string }>("memory", "add", "Deploys go out on Friday")
    const now = replaced.id
    expect(replaced).toMatchObject({ outcome: "superseded", related: [old] })
    await run("memory", "restore", old)
    const listed = await json<{ conflicts: { memories: { id: string }[] }[] }>("memory", "conflicts")
    expect(listed.conflicts.map(({ memories }) => memories.map(({ id }) => id))).toEqual([[now, old]])
    const open = async () => (await json<{ conflicts: object[] }>("memory", "conflicts")).conflicts.length
    expect(await json("memory", "resolve", old, "--keep", "both")).toMatchObject({ outcome: "resolved" })
    expect(await open()).toBe(0)
    expect(await json("memory", "show", old)).toMatchObject({ details: { compatibleWith: [now] } })
    await run("undo")
    expect(await open()).toBe(1)
    expect(await json("memory", "resolve", old, "--keep", "other")).toMatchObject({
      memories: [{ id: old, status: "superseded", supersededBy: now }],
    })
    expect(await open()).toBe(0)
    expectSentence(await run("memory", "resolve", old, "--keep", "this"), 1, /is in no conflict/)
    expect((await run("memory", "conflicts")).stderr).toMatch(/Nothing contradicts anything/)
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
    expect(await seen("--project", "/", "--all-projects")).toBe(1)
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
      /believed 1 of 1 now: 1 × 1 × 1\.069 × 1 = 1, and no more than 1\..*halves every 30 days/,
    )
    expect(why).toMatch(/It replaced m_\w+ "Tests run with jest" \(superseded\)\./)
    expect(why).toMatch(/"vitest" finds it as number 1 of 1, with score [\d.]+, by text/)
    expect(await json("memory", "why", other, "--query", "jest")).toMatchObject({
      supersededBy: { id },
      finding: { found: false, reason: expect.stringMatching(/it is superseded/) },
    })
    expect(await json("memory", "why", id, "--query", "kubernetes")).toMatchObject({
      finding: { found: false, reason: expect.stringMatching(/no word of the question/) },
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
    const { client } = await installation.daemon()
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
        withered: 1,
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
      { content: "withered", type: "observation", createdAt: "2019-01-01" },
      { content: "withered too", type: "observation", createdAt: "2018-01-01" },
      { content: "faint", confidence: 0.08 },
    ]
    writeFileSync(join(home, "in.jsonl"), lines.map((line) => JSON.stringify(line)).join("\n"))
    await run("memory", "import", join(home, "in.jsonl"))
    expect(await json("memory", "prune", "--dry-run")).toMatchObject({
      withered: [{ content: "withered too" }, { content: "withered" }],
      faint: [{ content: "faint" }],
      counts: { withered: 2, faint: 1 },
    })
    expect(await contents(installation)).toHaveLength(4)
    expect(await json("memory", "prune", "--limit", "1")).toMatchObject({
      outcome: "pruned",
      memories: [{ content: "withered too", status: "archived" }],
      counts: { withered: 1, faint: 1 },
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
    expectSentence(await run("memory", "export", "--project", "/"), 1, /Nothing is remembered of the project/)
  })
})

describeDatabases("Purging", (create) => {
  test("needs a yes, deletes for good, and leaves a journal that can be read", async () => {
    const installation = createPlainInstallation({ databaseUrl: (await create()).url })
    const { json, run, home } = installation
    const id = await add(
      installation,
      "the zanzibarium code",
      "--tag",
      "quuxtag",
      "--session",
      "plughsession",
    )
    await run("memory", "edit", id, "the zanzibarium codeword", "--context", "xyzzycontext")
    await run("undo")
    const kept = await add(installation, "kept")
    await run("memory", "link", kept, "relates-to", id)
    const gone = await add(installation, "frobozzium", "--project", home)
    expectSentence(await run("memory", "purge", id), 4, /would delete 1 memory for good; give --yes/)
    expectSentence(await run("memory", "purge"), 2, /Say what to purge/)
    expectSentence(await run("memory", "purge", id, "--all", "--yes"), 2, /Say what to purge/)
    const purged = await json<{ operation: string }>("memory", "purge", id, "--yes")
    expect(purged).toMatchObject({ outcome: "purged", purged: 1, scrubbed: true, snapshots: [] })
    const exported = (await run("memory", "export")).stdout
    expect(exported).not.toMatch(/zanzibarium|quuxtag|plughsession|xyzzycontext/)
    expect((await run("journal", "-n", "100", "--json")).stdout).not.toMatch(/zanzibarium|quuxtag/)
    expect((await run("memory", "history", id)).stdout).toMatch(
      /memory\.edited.*\n.*purged.*(\n.*)*memory\.purged/,
    )
    expectSentence(await run("undo"), 1, /purged memories; a purge cannot be taken back/)
    const { operations } = await json<{ operations: { operation: string; kind: string }[] }>("undo", "--list")
    const saved = operations.filter(({ kind }) => kind === "memory.saved").at(-1)
    expectSentence(await run("undo", saved?.operation ?? ""), 1, /changed m_\w+, which was purged since/)
    const linked = operations.find(({ kind }) => kind === "edge.added")
    const undone = await json<{ operation: string }>("undo", linked?.operation ?? "")
    await run("undo", undone.operation)
    expect(await json<{ edges: object[] }>("memory", "show", kept)).toMatchObject({ edges: [] })
    expect(await json("memory", "purge", "--project", home, "--yes")).toMatchObject({ purged: 1 })
    expectSentence(await run("memory", "show", gone), 1, /There is no memory/)
    await run("memory", "forget", kept)
    const last = await add(installation, "last")
    expect(await json("memory", "purge", "--forgotten", "--yes")).toMatchObject({ purged: 1 })
    expect(await contents(installation)).toEqual(["last"])
    expect(await json("memory", "purge", "--all", "--yes")).toMatchObject({ purged: 1 })
    expect(JSON.parse((await run("memory", "export")).stdout)).toMatchObject({
      memories: [],
      edges: [],
      tags: [],
    })
    expect(last).toMatch(/^m_/)
  })

  test("goes through the daemon, and a purge that is sent twice is done once", async () => {
    const installation = createPlainInstallation({ databaseUrl: (await create()).url })
    const id = await add(installation, "to be purged")
    const { client } = await installation.daemon()
    expect(await client.purge({ choice: { ids: [id] } })).toMatchObject({ outcome: "asked", memories: 1 })
    expect(await client.show(id)).toMatchObject({ id })
    const asked = { choice: { ids: [id.slice(-8)] }, confirmed: true }
    const first = await client.purge(asked, "op_purgetwice1")
    expect(first).toMatchObject({ outcome: "purged", purged: 1 })
    expect(await client.purge(asked, "op_purgetwice1")).toEqual(first)
  })
})

describe("Purging an SQLite file", () => {
  const secret = "Zanzibarium"
  const bytesHold = (file: string, text: string) => existsSync(file) && readFileSync(file).includes(text)

  for (const withDaemon of [false, true]) {
    test(`leaves no byte of the text in it ${withDaemon ? "while the daemon runs" : "without a daemon"}`, async () => {
      const installation = withDaemon ? createInstallation() : createPlainInstallation()
      const { run, json, paths } = installation
      if (withDaemon) await installation.daemon()
      const id = await add(installation, `the ${secret} of yore`, "--tag", "zanzitag")
      await run("memory", "edit", id, `another ${secret} altogether`)
      await run("undo")
      await run("memory", "forget", id)
      await add(installation, "something else")
      const files = ["", "-wal", "-shm"].map((ending) => `${paths.databaseFile}${ending}`)
      const traces = () =>
        files.some((file) => bytesHold(file, secret) || bytesHold(file, secret.toLowerCase()))
      expect(traces()).toBe(true)
      expect(await run("memory", "purge", id, "--yes")).toMatchObject({ code: 0 })
      expect(traces()).toBe(false)
      expect(files.some((file) => bytesHold(file, "zanzitag") || bytesHold(file, "yore"))).toBe(false)
      expect(await run("doctor")).toMatchObject({ code: 0 })
      expect(await contents(installation)).toEqual(["something else"])
      expect(await json("memory", "stats")).toMatchObject({
        counts: { vectors: withDaemon ? [{ memories: 1 }] : [] },
      })
    })
  }

  test("tells of snapshots that still hold it, and removes them when asked", async () => {
    const installation = createPlainInstallation()
    const { run, json, paths } = installation
    const id = await add(installation, `the ${secret}`)
    const other = await add(installation, "another")
    await run("snapshot", "take")
    const ended = await run("memory", "purge", id, "--yes")
    expect(ended.stderr).toMatch(/1 snapshot may still hold them/)
    const { snapshots } = await json<{ snapshots: { file: string }[] }>("snapshot", "list")
    expect(bytesHold(snapshots[0]?.file ?? "", secret)).toBe(true)
    await run("snapshot", "restore", snapshots[0]?.file.split("/").at(-1) ?? "")
    await run("memory", "purge", id, "--yes", "--snapshots")
    expect(await json("snapshot", "list")).toMatchObject({ snapshots: [] })
    // 1: nothing found.
    expect(spawnSync("grep", ["-rl", secret, paths.dataDir])).toMatchObject({ status: 1 })
    expect(await json("memory", "show", other)).toMatchObject({ content: "another" })
  })
})

describe("At a terminal", () => {
  /** Runs a command on a terminal of its own, with these lines typed; `script` from util-linux makes it. */
  function atTerminal({ home }: Installation, typed: string, editor: string, ...args: string[]) {
    const env = { ...process.env, REVERIE_HOME: home, REVERIE_DATABASE_URL: "", EDITOR: editor, VISUAL: "" }
    const command = [program, ...args].map((word) => `'${word}'`).join(" ")
    const { status, stdout } = spawnSync("script", ["-qec", command, "/dev/null"], {
      env,
      input: typed,
      encoding: "utf8",
    })
    return { code: status, stdout }
  }

  /** An editor that does this to its file. */
  function editorThat({ home }: Installation, script: string): string {
    const file = join(home, "editor.sh")
    writeFileSync(file, `#!/bin/sh\n${script}\n`)
    chmodSync(file, 0o755)
    return `'${file}'`
  }

  test("edit opens the editor, and refuses what somebody else changed meanwhile", async () => {
    const installation = createPlainInstallation()
    const { json } = installation
    const id = await add(installation, "old words")
    const edit = (editor: string) => atTerminal(installation, "", editor, "memory", "edit", id)
    expect(edit(editorThat(installation, 'sed -i "s/old/new/" "$1"'))).toMatchObject({ code: 0 })
    expect(await json("memory", "show", id)).toMatchObject({ content: "new words", source: "user-corrected" })
    const meanwhile = `'${program}' memory edit ${id} quicker >/dev/null 2>&1; echo late > "$1"`
    const late = edit(editorThat(installation, meanwhile))
    expect(late).toMatchObject({ code: 1, stdout: expect.stringMatching(/changed meanwhile by cli/) })
    expect(await json("memory", "show", id)).toMatchObject({ content: "quicker" })
    const failed = edit(editorThat(installation, "exit 3"))
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringMatching(/it ended with 3/) })
    expect(edit("")).toMatchObject({ code: 2, stdout: expect.stringMatching(/Set EDITOR/) })
  })

  test("purge has a word typed", async () => {
    const installation = createPlainInstallation()
    const id = await add(installation, "to go")
    const purge = (typed: string) => atTerminal(installation, typed, "", "memory", "purge", id)
    expect(purge("no\n")).toMatchObject({ code: 4, stdout: expect.stringMatching(/Nothing was deleted/) })
    expect(await contents(installation)).toEqual(["to go"])
    expect(purge("purge\n")).toMatchObject({ code: 0, stdout: expect.stringMatching(/Purged 1 memory/) })
    expect(await contents(installation)).toEqual([])
  })

  test("without one, edit asks for the text", async () => {
    const installation = createPlainInstallation()
    const id = await add(installation, "words")
    expectSentence(
      await installation.run("memory", "edit", id),
      2,
      /no terminal for an editor here; give the new text/,
    )
    expectSentence(
      await installation.run("memory", "edit", id, "x".repeat(20_001)),
      4,
      /Not changed: it is longer/,
    )
    expectSentence(
      await installation.run("memory", "edit", id, "--scope", "session"),
      2,
      /comes from no session/,
    )
    expectSentence(await installation.run("memory", "edit", id, "--scope", "project"), 2, /give --project/)
  })
})
