import { describe, expect, test } from "vitest"
import { cascade } from "../../src/memory/find/cascade.ts"
import { standardRecipe } from "../../src/memory/find/rank/recipe.ts"
import { listMemories, requireMemory } from "../../src/memory/model/store/browse.ts"
import { organiseScope } from "../../src/memory/topics/clusters/organise.ts"
import { cleanUpTags } from "../../src/memory/topics/tags/clean-up.ts"
import { tagsFromFiles } from "../../src/memory/topics/tags/from-files.ts"
import { createTagFinder } from "../../src/memory/topics/tags/from-text.ts"
import { countTags, listTags } from "../../src/memory/topics/tags/list.ts"
import { findVariants, singular } from "../../src/memory/topics/tags/variants.ts"
import { readJournal } from "../../src/storage/journal.ts"
import { sql } from "../../src/storage/sql.ts"
import { createTopicEmbedder, sentencesAbout } from "../../testkit/sessions/topics.ts"
import { describeDatabases, type TestDatabase } from "../../testkit/setup/databases.ts"
import { graphOf, openMemoryWorld } from "../../testkit/worlds/memory-world.ts"

describe("Tags from files", () => {
  test("are the languages, and the first folder that says something", () => {
    const tagged = (...files: string[]) => tagsFromFiles(files, "/home/me/shop")
    expect(tagged("src/storage/sqlite/open.ts", "packages/billing/src/tax.py")).toEqual([
      "billing",
      "python",
      "storage",
      "typescript",
    ])
    expect(tagged("/home/me/shop/src/checkout/cart.go")).toEqual(["checkout", "go"])
    expect(tagged("/etc/nginx/site.conf", "~/notes/x.md", "C:\\work\\y.rs")).toEqual(["docs", "rust"])
    expect(tagged("README", "src/main.c", "src\\parser\\lex.c")).toEqual(["c", "parser"])
    expect(tagged()).toEqual([])
  })
})

describe("Tags in a text", () => {
  const find = createTagFinder(["postgres", "code-review", "go", "the", "node.js", "test", "c++"])

  test("are found in any spelling and number, and short or common words are not", () => {
    expect(find("Run the tests on Postgres before a Code Review.")).toEqual([
      "code-review",
      "postgres",
      "test",
    ])
    expect(find("we go to the café; NODE_JS and node.js")).toEqual(["node.js"])
    expect(find("review the code; c is fine")).toEqual([])
  })
})

describe("Variants of a tag", () => {
  test("are the same in one number, with one separator", () => {
    expect(["branches", "classes", "tests", "policies", "days"].map(singular)).toEqual([
      "branch",
      "class",
      "test",
      "policy",
      "day",
    ])
    for (const word of ["status", "redis", "class", "css", "aws", "kubernetes", "analysis", "windows", "js"])
      expect(singular(word)).toBe(word)
    const names = ["code-review", "code_reviews", "Code Review", "codereview"]
    const variants = findVariants(names.map((name) => ({ name, memories: 1, inferred: 0 })))
    expect([...variants.keys()].toSorted()).toEqual(["code-review", "code_reviews"])
  })

  test("become the most used one", () => {
    const use = (name: string, memories: number, inferred = 0) => ({ name, memories, inferred })
    const uses = [
      use("test", 2),
      use("tests", 5),
      use("ci", 1),
      use("code-review", 1),
      use("code_review", 1, 1),
    ]
    expect([...findVariants(uses)]).toEqual([
      ["test", "tests"],
      ["code-review", "code_review"],
    ])
  })
})

async function open(store: TestDatabase) {
  const world = await openMemoryWorld(store, 1, { embedder: createTopicEmbedder() })
  const needs = { ...world, model: "topics" }
  const told = async (content: string, given: object = {}) => {
    const result = await world.remember(content, { verbatim: true, ...given })
    return "id" in result ? result.id : ""
  }
  return {
    ...world,
    told,
    infer: (by = { ...world.by(), actor: "daemon" }) => organiseScope(needs, null, by),
    inferred: async () => {
      const rows = await world.db.read<{ source: string; target: string; weight: number }>(
        sql`select source, target, weight from edges where kind = 'inferred-tag' order by source, target`,
      )
      for (const { weight } of rows) expect(weight).toBeLessThan(1)
      return rows.map(({ source, target }) => [source, target.slice(4)])
    },
    clean: (dryRun = false, by = world.by()) => cleanUpTags(world, { dryRun }, by),
    uses: () => countTags(world.db, sql`true`),
  }
}

describeDatabases("Tags", (create) => {
  test("are inferred from words, files and clusters, apart from those that were told", async () => {
    const world = await open(await create())
    for (const text of sentencesAbout("network", 8)) await world.told(text, { tags: ["net"] })
    const near = await world.told("network note 50: nobody tagged it")
    for (const text of sentencesAbout("kitchen", 20)) await world.told(text)
    const named = await world.told("what the NET does at night")
    const first = await world.told("one file", { files: ["src/billing/tax.ts"] })
    const second = await world.told("another file", { files: ["src/billing/sum.ts"] })
    await world.told("a file alone", { files: ["src/lonely/one.rb"] })
    expect(await world.infer()).toMatchObject({ outcome: "refreshed", tags: { added: 6, removed: 0 } })
    const expected = [
      [near, "net"],
      [named, "net"],
      [first, "billing"],
      [first, "typescript"],
      [second, "billing"],
      [second, "typescript"],
    ]
    expect(await world.inferred()).toEqual(expected.sort())
    expect(await listTags(world, {})).toEqual([
      { name: "net", memories: 8, inferred: 2 },
      { name: "billing", memories: 0, inferred: 2 },
      { name: "typescript", memories: 0, inferred: 2 },
    ])
    expect((await listMemories(world, { tag: "billing", limit: 10 })).memories.map(({ id }) => id)).toEqual([
      second,
      first,
    ])
    expect((await requireMemory(world.db, first)).tags).toEqual([])
    // The graph is followed through them, more weakly than through told ones.
    const reached = await cascade(world.db, { ...standardRecipe.cascade, depth: 2, decay: 1 }, [
      { id: first, score: 1 },
    ])
    expect(reached).toEqual([{ id: second, score: 0.25, via: "tag billing" }])
    // Nothing changed: nothing is written.
    expect(await world.infer()).toMatchObject({ tags: { added: 0, removed: 0 } })
    // A memory that is written anew keeps them, and its told tags stay what they were.
    await world.remember("one file", { type: "fact" })
    expect(await world.inferred()).toEqual(expected.sort())
  })

  test("that are taken back stay away, and those that follow from nothing any more go", async () => {
    const world = await open(await create())
    const first = await world.told("one file", { files: ["src/billing/tax.ts"] })
    const second = await world.told("another file", { files: ["src/billing/sum.ts"] })
    const by = { ...world.by(), actor: "daemon" }
    await world.infer(by)
    expect(await world.inferred()).toHaveLength(4)
    // Plain undo means what somebody did, not what the daemon did since.
    const undone = await world.undo()
    expect(undone.summary).toBe("another file")
    await world.infer()
    expect(await world.inferred()).toEqual([])
    await world.undo(undone.operation)
    expect((await world.inferred()).map(([id]) => id)).toEqual([second, second])
    await world.infer()
    expect(await world.inferred()).toHaveLength(4)
    const third = { ...world.by(), actor: "daemon" }
    await world.told("third file", { files: ["src/billing/more.ts"] })
    await world.infer(third)
    await world.undo(third.operation)
    expect(await world.infer()).toMatchObject({ tags: { added: 0 } })
    expect((await world.inferred()).map(([id]) => id)).toEqual([first, first, second, second].sort())
  })

  test("are merged with their variants in one operation, which undo takes back exactly", async () => {
    const world = await open(await create())
    await world.told("first", { tags: ["tests", "infra"] })
    await world.told("second", { tags: ["tests"] })
    await world.told("third", { tags: ["test", "code_review"] })
    await world.told("fourth", { tags: ["tests", "code-review", "test"], project: "elsewhere" })
    await world.told("all the test files", { files: ["src/test/one.py"] })
    const before = graphOf(await world.export())
    const plan = await world.clean(true)
    expect(plan).toEqual({
      merged: [
        { from: "code_review", into: "code-review", memories: 1 },
        { from: "test", into: "tests", memories: 2 },
      ],
      dropped: [],
    })
    expect(graphOf(await world.export())).toEqual(before)
    const by = world.by()
    expect(await world.clean(false, by)).toEqual(plan)
    expect(await world.clean(false, by)).toEqual(plan)
    expect(await world.uses()).toEqual([
      { name: "tests", memories: 4, inferred: 0 },
      { name: "code-review", memories: 2, inferred: 0 },
      { name: "infra", memories: 1, inferred: 0 },
    ])
    expect(await world.clean()).toEqual({ merged: [], dropped: [] })
    expect(await readJournal(world.db, { kind: "tags.cleaned" })).toHaveLength(1)
    await world.undo()
    expect(graphOf(await world.export())).toEqual(before)
  })

  test("that were inferred are merged too, and dropped where only one memory has them", async () => {
    const world = await open(await create())
    await world.told("one", { tags: ["reviews"] })
    await world.told("two", { tags: ["reviews"] })
    await world.told("three", { files: ["review/a.rb"] })
    await world.told("four", { files: ["review/b.rb"] })
    await world.infer()
    await world.undo()
    expect(await world.uses()).toEqual([
      { name: "reviews", memories: 2, inferred: 0 },
      { name: "review", memories: 0, inferred: 1 },
      { name: "ruby", memories: 0, inferred: 1 },
    ])
    const before = graphOf(await world.export())
    expect(await world.clean()).toEqual({
      merged: [{ from: "review", into: "reviews", memories: 1 }],
      dropped: ["ruby"],
    })
    expect(await world.uses()).toEqual([{ name: "reviews", memories: 2, inferred: 1 }])
    await world.undo()
    expect(graphOf(await world.export())).toEqual(before)
  })
})
