import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { exportMarkdown } from "../../src/memory/export.ts"
import { blocksOf } from "../../src/memory/foreign/blocks.ts"
import { purgeMemories } from "../../src/memory/purge.ts"
import { forget } from "../../src/memory/standing.ts"
import { describeDatabases } from "../support/databases.ts"
import { throwawayFolder } from "../support/home.ts"
import { graphOf, type MemoryWorld, openMemoryWorld } from "../support/memory-world.ts"
import { createPlainInstallation } from "../support/program.ts"

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
    let text = ""
    await exportMarkdown(world, async (part) => {
      text += part
    })
    expect(await world.import(text)).toMatchObject({ saved: 0, unchanged: 2, failed: 1 })
    const other = await openMemoryWorld(await create(), 2)
    const tally = await other.import(text)
    expect(tally).toMatchObject({ saved: 2, failed: 1 })
    expect(tally.problems).toEqual([
      expect.stringMatching(/^line \d+ cannot be used: it belongs to one session/),
    ])
    expect(await memories(other)).toMatchObject([
      {
        content: "A rule\n\n- with a list #notatag inside\n## and a heading",
        type: "procedure",
        tags: ["a", "b"],
        scope: "global",
      },
      { content: "Of a project", type: "negative", scope: "project" },
    ])
    expect(await other.find("project", { project: "alpha" })).toEqual(["Of a project"])
    expect(await other.import(text)).toMatchObject({ saved: 0, unchanged: 2 })
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
      ["just some prose without form", {}, /in no format that Reverie recognises; give --format/],
      ["[1, 2", {}, /not a whole list of mem0 memories/],
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
    expect(tally.problems[1]).toMatch(/^line 5 cannot be used: it is no relation/)
    const list = [{ id: 1 }, { id: 2, text: "x".repeat(30_000) }, { id: 3, text: "fine" }]
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
  writeFileSync(join(home, "m.json"), JSON.stringify({ results: [{ id: "a", memory: "from mem0" }] }))
  expect(await json("memory", "import", "m.json", "--project", home)).toMatchObject({ saved: 1 })
  const wrong = await run("memory", "import", "m.json", "--format", "yaml")
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringMatching(/Allowed choices are auto, reverie/) })
  const bad = await run("memory", "import", "m.json", "--format", "reverie")
  expect(bad.code).toBe(2)
  expect(bad.stderr.trimEnd().split("\n")).toHaveLength(1)
})
