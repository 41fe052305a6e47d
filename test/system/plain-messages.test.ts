import { statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { createPlainInstallation, programInHints } from "../../testkit/program/program.ts"

async function withMemory() {
  const installation = createPlainInstallation()
  const { id } = await installation.json<{ id: string }>("memory", "add", "The sky is blue")
  return { ...installation, id }
}

describe("What is given wrongly is told in one plain sentence", () => {
  test("by every command", async () => {
    const { run, id } = await withMemory()
    const told = async (...args: string[]) => {
      const { code, stderr } = await run(...args)
      expect(code).toBe(2)
      return stderr
    }
    expect(await told("undo", "")).toBe("reverie: The operation is empty; give one.\n")
    expect(await told("memory", "why", id, "--query", "")).toBe("reverie: The query is empty; give one.\n")
    expect(await told("memory", "add", "x", "--tag", "y".repeat(101))).toBe(
      "reverie: The tag is too long: at most 100 characters.\n",
    )
    expect(await told("memory", "search", "z".repeat(10_001))).toBe(
      "reverie: The query is too long: at most 10,000 characters.\n",
    )
    expect(await told("memory", "search", "")).toBe(
      "reverie: There is nothing to search for; give some words.\n",
    )
  })

  test("where no session has been read yet, and where none is such", async () => {
    const { run } = createPlainInstallation()
    expect((await run("sessions")).stderr).toMatch(/There are no sessions yet/)
    expect((await run("sessions", "--status", "crashed")).stderr).toMatch(/There is no such session/)
  })

  test("where options contradict each other, and nothing is done", async () => {
    const { home, run, json, id } = await withMemory()
    writeFileSync(join(home, "notes.md"), "- a note\n")
    const contradictions = [
      ["memory", "edit", id, "--clear", "tags", "--tag", "foo"],
      ["memory", "edit", id, "--clear", "reason", "--reason", "because"],
      ["memory", "import", "notes.md", "--project", ".", "--no-project"],
      ["memory", "import", "notes.md", "--no-project", "--project", "."],
      ["undo", "--list", "op_1"],
    ]
    for (const args of contradictions) {
      const { code, stdout, stderr } = await run(...args)
      expect([args, code, stdout]).toEqual([args, 2, ""])
      expect(stderr).toMatch(/^reverie: --\S+ [^\n]*leave[^\n]*\.\n$/)
    }
    for (const args of [
      ["recall", "how", "do", "I", "deploy", "--gaps"],
      ["add", "-", "extra"],
      ["search", "sky", "--project", ".", "--all-projects"],
      ["memory", "list", "--project", "--all-projects"],
      ["search", "sky", "--audience", "ann", "--only-audience", "bob"],
    ]) {
      const { code, stdout, stderr } = await run(...args)
      expect([args, code, stdout]).toEqual([args, 2, ""])
      expect(stderr).toMatch(/^reverie: [^\n]*, not both\.\n$/)
    }
    expect(await json("memory", "stats")).toMatchObject({ counts: { total: 1, tags: [] } })
  })

  test("in JSON where that is asked for", async () => {
    const { run } = await withMemory()
    for (const [args, message] of [
      [
        ["memory", "add", "a", "--json", "--type", "bogus"],
        /^Option '--type <type>' argument 'bogus' is inv/,
      ],
      [["memory", "list", "--json", "--status", "bogus"], /^Option '--status <status>' argument 'bogus' is /],
      [
        ["memory", "show", "--json"],
        /^`reverie memory show` needs an id, as in `reverie memory show 3vh2pr`\.$/,
      ],
      [["memory", "search", "x", "--json", "--limit", "0"], /Give a whole number from 1 to 200\.$/],
      [["undo", "", "--json"], /^The operation is empty; give one\.$/],
    ] as const) {
      const { code, stdout } = await run(...args)
      expect(code).toBe(2)
      expect(JSON.parse(stdout)).toEqual({
        schemaVersion: 1,
        error: { kind: "usage", message: expect.stringMatching(message) },
      })
    }
    expect((await run("memory", "add", "a", "--type", "bogus")).stdout).toBe("")
  })
})

test("History counts what was said again", async () => {
  const { run, id } = await withMemory()
  await run("memory", "add", "the sky is blue", "--session", "s1")
  const { stdout } = await run("memory", "history", id)
  expect(stdout).toContain("reinforcements: nothing → 1 entry")
  expect(stdout).not.toContain("[object")
})

test("Hints name the program as it was called", async () => {
  const { run } = await withMemory()
  expect((await run("undo", "op_unknown1")).stderr).toContain(`\`${programInHints} undo --list\` shows`)
  expect((await run("doctor")).stdout).toContain(`none; \`${programInHints} connect\` makes them`)
})

test("An undo that is undone says what came back", async () => {
  const { run, json } = await withMemory()
  const undone = await run("undo")
  expect(undone.stderr).toMatch(/^Undone: added The sky is blue\n\(.* brings it back\.\)\n$/)
  const operation = /undo (op_\w+)/.exec(undone.stderr)?.[1] ?? ""
  expect((await run("undo", operation)).stderr).toMatch(
    /^Brought back what was undone: The sky is blue\n\(.* undoes it again\.\)\n$/,
  )
  expect(await json("memory", "search", "sky")).toMatchObject({ results: [{ content: "The sky is blue" }] })
})

test("What only notes a use is no change to undo, and an add that is taken back is not restored", async () => {
  const { run, json } = await withMemory()
  await run("memory", "search", "sky")
  const kinds = async (...words: string[]) => JSON.stringify(await json(...words))
  expect(await kinds("undo", "--list")).not.toContain("memory.used")
  const list = await run("undo", "--list")
  expect(list.stdout).toMatch(/^\w{6} {2}.* {2}added {2}1 memory/)
  const [id = ""] = list.stdout.split(" ")
  expect((await run("undo", id)).stderr).toContain("Undone: added The sky is blue")
  const { stdout } = await run("journal")
  expect(stdout).toContain("memory.removed")
  expect(stdout).not.toContain("memory.restored")
})

test("The list of changes calls links and tags what they are", async () => {
  const { run, json, id } = await withMemory()
  const { id: other } = await json<{ id: string }>("memory", "add", "Grass is green")
  const newest = async () => (await run("undo", "--list")).stdout.split("\n")[0]
  await run("memory", "link", id, "relates-to", other)
  expect(await newest()).toMatch(/ {2}linked +1 link *$/)
  await run("memory", "link", id, "relates-to", other, "--remove")
  expect(await newest()).toMatch(/ {2}unlinked +1 link *$/)
  expect((await run("undo")).stderr).toContain(`Undone: unlinked ${id} relates-to ${other}`)
  await run("memory", "tag", id, "weather")
  await run("memory", "tags", "describe", "weather", "What the sky does")
  expect(await newest()).toMatch(/ {2}described +1 tag *$/)
})

test("A list that is empty says whether there is nothing, or nothing that matches", async () => {
  const { run } = createPlainInstallation()
  expect((await run("memory", "list")).stderr).toBe("No memories yet.\n")
  await run("add", "The sky is blue", "--global")
  expect((await run("memory", "list", "--tag", "sea")).stderr).toBe("No memories match.\n")
  expect((await run("memory", "list", "--type", "negative")).stderr).toBe("No memories match.\n")
  expect((await run("memory", "purge", "--forgotten", "--yes")).stderr).toBe("Nothing to purge.\n")
})

test("init does not recommend to start what runs", async () => {
  const { run, daemonHere } = createPlainInstallation()
  expect((await run("init", "--yes")).stderr).toContain(`  ${programInHints} start\n`)
  await daemonHere()
  expect((await run("init", "--yes")).stderr).not.toMatch(/ (start|service install)\n/)
})

test("The size counts what stands beside the database's file", async () => {
  const { json, daemonHere, paths } = createPlainInstallation()
  await daemonHere()
  await json("memory", "add", "The sky is blue")
  const { storage } = await json<{ storage: { size: string } }>("memory", "stats")
  expect(statSync(paths.databaseFile).size).toBeLessThan(50_000)
  expect(Number.parseFloat(storage.size)).toBeGreaterThan(50)
})

test("A request to the API says what it lacks, what it may be, and what is not known", async () => {
  const { client } = await createPlainInstallation().daemonHere()
  const wrong: [Promise<unknown>, string][] = [
    [client.decide("x", {} as never), "The kind is missing; it must be one of approve, deny, respond."],
    [
      client.purge({} as never),
      'The choice is missing; it must be one of {"ids":[…]}, {"forgotten":true}, {"project":"…"}, {"all":true}.',
    ],
    [client.forget({} as never), "`ids` is missing."],
    [client.configDiff({} as never), "`changes` is missing."],
    [client.usage({ days: 0 }), "`days` is too small: at least 1."],
    [
      client.search({ query: "x", askedAt: "junk" }),
      '`askedAt` must be a time such as 2026-11-18T12:00:00Z, not "junk".',
    ],
    [client.pause({ until: "18:00" } as never), "until is not known here; leave it out."],
  ]
  for (const [refused, sentence] of wrong) await expect(refused).rejects.toThrow(sentence)
  expect(await client.ambient()).toMatchObject({ pausedUntil: null })
})
