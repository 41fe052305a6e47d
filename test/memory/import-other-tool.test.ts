import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { purgeMemories } from "../../src/activities/purge.ts"
import { exportMarkdown } from "../../src/memory/transfer/export.ts"
import { blocksOf } from "../../src/memory/transfer/formats/blocks.ts"
import { forget } from "../../src/memory/write/change/forget-restore.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createPlainInstallation } from "../../testkit/program/program.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { graphOf, type MemoryWorld, openMemoryWorld } from "../../testkit/worlds/memory-world.ts"

const mcp = [
  { type: "entity", name: "Ada", entityType: "Team member", observations: ["owns billing", "prefers Rust"] },
  { type: "entity", name: "Billing", entityType: "service", observations: [] },
  { type: "relation", from: "Ada", to: "Billing", relationType: "maintains" },
]
const mcpLines = mcp.map((line) => JSON.stringify(line)).join("\n")

const mem0 = [
  {
    id: "8f1",
    memory: "Likes short answers",
    user_id: "ada",
    agent_id: "helper",
    run_id: "run-7",
    metadata: { type: "preference", topic: "style" },
    categories: ["Communication style"],
    created_at: "2025-03-04T05:06:07-08:00",
    updated_at: null,
  },
  { id: "8f2", data: "Works in Lisbon", created_at: 1_700_000_000 },
]

const notes = `---
title: ignored
---
# CLAUDE.md

Run everything through make.

## Build & test
- Use pnpm, never npm
- Testing:
  - unit tests with vitest
  - [ ] browser tests with playwright
    and only on Linux
- See the script:

  \`\`\`sh
  # not a heading
  make test
  \`\`\`

@docs/other.md
- @docs/third.md
<!-- a note
that nobody reads -->
Releases
--------
1. Tag it
2. Push it
`

/** What is remembered, in the order of its texts: what comes in together has no other order. */
async function memories(world: MemoryWorld) {
  return graphOf(await world.export()).memories.sort((a, b) => (a.content < b.content ? -1 : 1))
}

describeDatabases("Importing from other tools", (create) => {
  const open = async () => openMemoryWorld(await create())

  test("the MCP memory server's graph comes with its entities, observations and relations", async () => {
    const world = await open()
    expect(await world.import(mcpLines)).toMatchObject({ saved: 4, failed: 0, unchanged: 0 })
    const found = await memories(world)
    expect(found.map(({ content, type, tags }) => [content, type, tags])).toEqual([
      ["Ada maintains Billing", "entity", ["maintains"]],
      ["Ada: owns billing", "entity", ["team-member"]],
      ["Ada: prefers Rust", "entity", ["team-member"]],
      ["Billing (service)", "entity", ["service"]],
    ])
    const [relation, ada, , billing] = found.map(({ id }) => id)
    const { edges } = graphOf(await world.export())
    const links = edges
      .filter(({ kind }) => kind === "relates-to")
      .map(({ source, target }) => [source, target])
    expect(links.sort()).toEqual(
      [
        [ada, billing],
        [relation, ada],
        [relation, billing],
      ].sort(),
    )
    await world.undo()
    expect(graphOf(await world.export())).toMatchObject({ memories: [], edges: [] })
    const graph = { entities: mcp.slice(0, 2), relations: mcp.slice(2) }
    expect(await world.import(JSON.stringify(graph, null, 2))).toMatchObject({ saved: 4, failed: 0 })
  })

  test("mem0's memories come as a list, as results, pretty or one a line", async () => {
    const forms = [
      JSON.stringify(mem0),
      JSON.stringify({ results: mem0 }, null, 2),
      JSON.stringify(mem0, null, 1),
      mem0.map((one) => JSON.stringify(one)).join("\n"),
    ]
    const world = await open()
    for (const [index, text] of forms.entries()) {
      const expected = index === 0 ? { saved: 2, unchanged: 0 } : { saved: 0, unchanged: 2 }
      expect(await world.import(text), text).toMatchObject({ ...expected, failed: 0, reinforced: 0 })
    }
    expect(await memories(world)).toMatchObject([
      {
        content: "Likes short answers",
        type: "preference",
        source: "extracted",
        tags: ["communication-style"],
        sessionId: "run-7",
        createdAt: "2025-03-04T13:06:07.000Z",
        details: { context: "mem0: user ada, agent helper, topic style" },
      },
      { content: "Works in Lisbon", createdAt: "2023-11-14T22:13:20.000Z", sourceId: "mem0:8f2" },
    ])
  })

  test("notes become a memory for each bullet and paragraph, tagged by their headings", async () => {
    const world = await open()
    expect(await world.import(notes)).toMatchObject({ saved: 7, failed: 0 })
    expect((await memories(world)).map(({ content, tags }) => [content, tags])).toEqual([
      ["Push it", ["releases"]],
      ["Run everything through make.", []],
      ["See the script:\n```sh\n# not a heading\nmake test\n```", ["build-test"]],
      ["Tag it", ["releases"]],
      ["Testing: browser tests with playwright\nand only on Linux", ["build-test"]],
      ["Testing: unit tests with vitest", ["build-test"]],
      ["Use pnpm, never npm", ["build-test"]],
    ])
  })

  test("notes keep what their meaning depends on: lead-ins, headings that deny, the bullet above", async () => {
    const world = await open()
    const rules = `# CLAUDE.md
Be careful. Never do any of the following:

- push to main
- force push

Nothing more.
- Stands alone

## Don't
* commit .env files
* never use lodash

### Instead
- use date-fns

## Deprecated
- Use yarn for installs

## Git
- Never rebase main
  - not even for hotfixes
- ~~Use bower~~

**Avoid these**
- eval

These are forbidden.

1. sudo

Verboten
--------
- Push am Freitag

## À éviter
- les commits du vendredi

## Style
- Rules:
  - Never
    - skip tests

Not allowed:

Trailing spaces.

## Editors (do not edit by hand)
- vim
`
    const tally = await world.import(rules)
    expect(tally).toMatchObject({ failed: 0, reinforced: 0, superseded: 0 })
    const said = (await memories(world)).map(({ content, status }) => (status === "active" ? content : ""))
    expect(said).toEqual([
      "Avoid these: eval",
      "Be careful.",
      "Deprecated: Use yarn for installs",
      "Don't: commit .env files",
      "Never do any of the following: force push",
      "Never do any of the following: push to main",
      "Never rebase main: not even for hotfixes",
      "Not allowed: Trailing spaces.",
      "Nothing more.",
      "Rules: Never: skip tests",
      "Stands alone",
      "These are forbidden: sudo",
      "Verboten: Push am Freitag",
      "never use lodash",
      "use date-fns",
      "vim",
      "À éviter: les commits du vendredi",
    ])
    expect(await world.import(rules)).toMatchObject({ saved: 0, reinforced: 0, unchanged: said.length })
  })

  test("notes replace nothing that a person said, nor each other within a file", async () => {
    const world = await open()
    await world.remember("Never push to main")
    const told = await world.import(
      "- push to main\n- The server listens on port 8001\n- The server listens on port 8002",
    )
    expect(told).toMatchObject({ saved: 1, superseded: 0, conflicts: 2 })
    expect((await memories(world)).map(({ status }) => status)).toEqual(Array(4).fill("active"))
    const { edges } = graphOf(await world.export())
    expect(edges.filter(({ kind }) => kind === "contradicts")).toHaveLength(2)
    // What the notes say later replaces what they said, and a person's word replaces both.
    expect(await world.import("- The server listens on port 8003")).toMatchObject({ superseded: 1 })
    expect(await world.remember("The server listens on port 8004")).toMatchObject({ outcome: "superseded" })
    const standing = (await memories(world)).filter(({ status }) => status === "active")
    expect(standing.map(({ content }) => content)).toEqual([
      "Never push to main",
      "The server listens on port 8004",
      "push to main",
    ])
  })

  test("notes that forbid say the same as a person who does", async () => {
    const world = await open()
    await world.remember("Never push to main")
    await world.import("## Don't\n- push to main\n\nNever do any of the following:\n- push to main\n")
    const found = await memories(world)
    expect(found.every(({ status }) => status === "active")).toBe(true)
    expect(graphOf(await world.export()).edges.filter(({ kind }) => kind === "contradicts")).toEqual([])
  })

  test("notes that lie in a project belong to it, unless said otherwise", async () => {
    const world = await open()
    const folder = throwawayFolder()
    execFileSync("git", ["init", "-q", folder])
    mkdirSync(join(folder, "docs"))
    expect(await world.import("- for this project", false, { beside: join(folder, "docs") })).toMatchObject({
      saved: 1,
    })
    expect(await world.import("- for this project", false, { beside: throwawayFolder() })).toMatchObject({
      saved: 1,
    })
    expect(await world.import("- for that project", false, { project: "that" })).toMatchObject({ saved: 1 })
    expect((await memories(world)).map(({ scope }) => scope).sort()).toEqual(
      ["project", "global", "project"].sort(),
    )
    expect(await world.find("project", { project: folder })).toHaveLength(2)
  })

  test("our own readable export comes back with types, tags and projects", async () => {
    const world = await open()
    await world.remember("A rule\n\n- with a list #notatag inside\n## and a heading", {
      type: "procedure",
      tags: ["a", "b"],
    })
    await world.remember("Of a project", { project: "alpha", type: "negative" })
    await world.remember("Of a session", { scope: "session", sessionId: "s" })
    await world.remember("Of a session of a project", { scope: "session", sessionId: "s", project: "alpha" })
    await world.remember("For the team", { audience: "team 100% -->\ntwo" })
    await world.remember("For alpha's team", { audience: "team", project: "alpha", tags: ["t"] })
    let text = ""
    await exportMarkdown(world, async (part) => {
      text += part
    })
    expect(await world.import(text)).toMatchObject({ saved: 0, unchanged: 4, failed: 2 })
    const other = await openMemoryWorld(await create(), 2)
    const tally = await other.import(text)
    expect(tally).toMatchObject({ saved: 4, failed: 2 })
    const problem = expect.stringMatching(/^line \d+ cannot be used: it belongs to one session/)
    expect(tally.problems).toEqual([problem, problem])
    expect(await memories(other)).toMatchObject([
      {
        content: "A rule\n\n- with a list #notatag inside\n## and a heading",
        type: "procedure",
        tags: ["a", "b"],
        scope: "global",
        audience: null,
      },
      { content: "For alpha's team", audience: "team", scope: "project", tags: ["t"] },
      { content: "For the team", audience: "team 100% -->\ntwo", scope: "global" },
      { content: "Of a project", type: "negative", scope: "project", audience: null },
    ])
    expect(await other.find("project", { project: "alpha" })).toEqual(["Of a project"])
    expect(await other.import(text)).toMatchObject({ saved: 0, unchanged: 4 })
  })

  test("importing twice changes nothing, even what was merged, edited or forgotten meanwhile", async () => {
    for (const text of [mcpLines, JSON.stringify(mem0), notes]) {
      const world = await open()
      // One text is known from elsewhere: the first import makes it stronger, the second must not.
      const known = text === mcpLines ? "Ada: prefers Rust" : text === notes ? "Tag it" : "Works in Lisbon"
      await world.remember(known, text === mcpLines ? { type: "entity" } : {})
      expect(await world.import(text)).toMatchObject({ reinforced: 1, failed: 0, refused: 0 })
      const [first] = await memories(world)
      await world.act((needs, by) => forget(needs, [first?.id ?? ""], by))
      const before = graphOf(await world.export())
      const again = await world.import(text)
      expect(again).toMatchObject({ saved: 0, reinforced: 0, failed: 0 })
      expect(graphOf(await world.export())).toEqual(before)
    }
  })

  test("what was undone or purged can be imported again", async () => {
    const world = await open()
    await world.remember("Works in Lisbon")
    await world.import(JSON.stringify(mem0))
    await world.undo()
    expect(await world.import(JSON.stringify(mem0))).toMatchObject({ saved: 1, reinforced: 1 })
    await world.act((needs, by) => purgeMemories(needs, { all: true }, by))
    expect(await world.import(JSON.stringify(mem0))).toMatchObject({ saved: 2, unchanged: 0 })
  })

  test("bad files and bad parts of good ones are named", async () => {
    const world = await open()
    const bad: [string, Parameters<MemoryWorld["import"]>[2], RegExp][] = [
      ["just some prose without form", {}, /does not recognise the file.s format; give --format/],
      ["[1, 2", {}, /not a complete list of mem0 memories/],
      ["[]", {}, /nothing to import in the file \(read as mem0\)/],
      ["", { format: "markdown" }, /nothing to import in the file \(read as markdown\)/],
      ['{"content":"x"}', { format: "reverie" }, /not an export/],
    ]
    for (const [text, options, sentence] of bad) {
      await expect(world.import(text, false, options), text).rejects.toThrow(sentence)
    }
    expect(await memories(world)).toEqual([])
    const broken = [mcpLines, "no json", '{"type":"relation","from":"x"}', '{"type":"other"}'].join("\n")
    const tally = await world.import(broken, false, { format: "mcp" })
    expect(tally).toMatchObject({ saved: 4, failed: 3 })
    expect(tally.problems[1]).toMatch(/^line 5 cannot be used: it is not a relation/)
    const list = [{ id: 1 }, { id: 2, text: "x".repeat(1_000_001) }, { id: 3, text: "fine" }]
    const second = await world.import(JSON.stringify(list))
    expect(second).toMatchObject({ saved: 1, refused: 1, failed: 1 })
    expect(second.problems).toEqual([
      expect.stringMatching(/^item 1 cannot be used: it has no text/),
      expect.stringMatching(/^item 2 was refused: it is longer/),
    ])
  })
})

describe("Markdown", () => {
  test("of any kind is read without failing, and no word of it twice", () => {
    const line = fc.oneof(
      fc.constantFrom(
        "```",
        "~~~",
        "---",
        "===",
        "- a:",
        "  - b",
        "# H",
        "> q",
        "<!--",
        "-->",
        "@x",
        "",
        "1. z",
        "\t- t",
      ),
      fc.string({ maxLength: 40 }),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
        const blocks = blocksOf(lines)
        for (const { text, line: number } of blocks) {
          expect(text.trim()).not.toBe("")
          expect(number).toBeLessThanOrEqual(lines.length)
        }
      }),
      { numRuns: 500 },
    )
  })
})

test("the command line recognises notes by their name, and can be told", async () => {
  const { run, json, home } = createPlainInstallation()
  execFileSync("git", ["init", "-q", home])
  writeFileSync(join(home, "MEMORY.md"), "Plain prose without any sign.\n\nAnd more.\n")
  expect(await json("memory", "import", join(home, "MEMORY.md"))).toMatchObject({ saved: 2, failed: 0 })
  expect((await json<{ memories: object[] }>("memory", "list")).memories).toMatchObject([
    { scope: "project" },
    { scope: "project" },
  ])
  expect((await run("memory", "import", "MEMORY.md", "--no-project")).stderr).toMatch(/2 saved/)
  expect((await run("memory", "import", "MEMORY.md")).stderr).toMatch(/s: 2 unchanged\.$/m)
  writeFileSync(join(home, "empty.jsonl"), "")
  expect(await run("memory", "import", "empty.jsonl")).toMatchObject({
    code: 0,
    stderr: "Nothing was imported: the file contains no memories.\n",
  })
  const lines = [
    "The server listens on port 1",
    "The server listens on port 2",
    "The server listens on port 2",
    "Other",
  ]
  writeFileSync(join(home, "in.jsonl"), lines.map((content) => `${JSON.stringify({ content })}\n`).join(""))
  expect((await run("memory", "import", "in.jsonl")).stderr).toMatch(
    /: 2 saved, 1 strengthened, 1 saved where one replaces another\.$/m,
  )
  writeFileSync(join(home, "m.json"), JSON.stringify({ results: [{ id: "a", memory: "from mem0" }] }))
  expect(await json("memory", "import", "m.json", "--project", home)).toMatchObject({ saved: 1 })
  const wrong = await run("memory", "import", "m.json", "--format", "yaml")
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringMatching(/Allowed choices are auto, reverie/) })
  const bad = await run("memory", "import", "m.json", "--format", "reverie")
  expect(bad.code).toBe(2)
  expect(bad.stderr.trimEnd().split("\n")).toHaveLength(1)
})
