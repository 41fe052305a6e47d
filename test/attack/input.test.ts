import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import {
  createPlainInstallation,
  type Ended,
  ending,
  type Installation,
} from "../../testkit/program/program.ts"

const ends: (() => void)[] = []
let shared: Installation
let client: Awaited<ReturnType<Installation["daemon"]>>["client"]
const kept = "the release train leaves on thursdays"

beforeAll(async () => {
  shared = createPlainInstallation({ onEnd: (work) => void ends.push(work) })
  client = (await shared.daemon()).client
  await client.add({ content: kept })
})
afterAll(() => {
  for (const work of ends.reverse()) work()
})

/** Nothing was destroyed, and the daemon still answers. */
async function expectUnharmed(): Promise<void> {
  const { memories } = await client.list({ limit: 500 })
  expect(memories.map(({ content }) => content)).toContain(kept)
}

/** A message for people: no bug in Reverie, no stack, nothing that speaks to a terminal. */
function expectPlain({ stdout, stderr }: Ended): void {
  expect(stderr).not.toMatch(/bug in Reverie|\bat \w+ \(|node:internal/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters meant
  expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
}

describe("A question in the search engine's own language", () => {
  test.each([
    '" OR * NEAR(',
    'thursdays" OR "x',
    "NEAR(release train, 2)",
    "content:release",
    "-release",
    "AND OR NOT",
    "((((((((((",
    "'; drop table memories; --",
    "release*^",
    "%_\\",
    "{release} : train",
    "\u202erelease\u0007\u001b[2J",
    "🚂".repeat(2000),
    "release ".repeat(5000),
  ])("%#", async (query) => {
    const ended = await shared.run("memory", "search", "--all-projects", "--", query)
    // A question of 40 kB is too long, and that is said.
    expect(ended.code).toBe(query.length > 20_000 ? 2 : 0)
    expectPlain(ended)
    await expectUnharmed()
  })
})

describe("An id that is something else", () => {
  test.each([
    ["memory", "show", "../../../etc/passwd"],
    ["memory", "show", "m_%"],
    ["memory", "show", "m_"],
    ["memory", "show", "%"],
    ["memory", "show", ""],
    ["memory", "forget", "m_' or '1'='1"],
    ["memory", "edit", "m_%", "planted"],
    ["memory", "history", "m_%2e%2e%2fstats"],
    ["memory", "why", "x\u001b]0;owned\u0007"],
    ["memory", "link", "m_%", "supersedes", "m_%"],
    ["sessions", "show", "../../x"],
    ["sessions", "show", "%"],
    ["cycles", "show", "../../x"],
    ["queue", "cancel", "' or 1=1 --"],
    ["undo", "op_%"],
    ["undo", "../../x"],
    ["snapshot", "restore", "../reverie.db"],
    ["memory", "show", "m_".repeat(30_000)],
  ])("%s %s %#", async (...args) => {
    const ended = await shared.run(...args)
    expect([1, 2]).toContain(ended.code)
    expect(ended.stdout).toBe("")
    expectPlain(ended)
    await expectUnharmed()
  })
})

describe("A number or a time that is none", () => {
  test.each([
    ["memory", "list", "--limit", "-1"],
    ["memory", "list", "--limit", "0"],
    ["memory", "list", "--limit", "1e400"],
    ["memory", "list", "--limit", "9007199254740993"],
    ["memory", "list", "--limit", "0x10"],
    ["memory", "search", "x", "--limit", "1.5"],
    ["memory", "add", "x", "--confidence", "NaN"],
    ["memory", "add", "x", "--confidence", "Infinity"],
    ["memory", "add", "x", "--confidence", "-0.1"],
    ["memory", "add", "x", "--recency-weight", "2"],
    ["journal", "-n", "-5"],
    ["usage", "--days", "99999999999"],
    ["pause", "--until", "99:99"],
    ["pause", "--for", "-1h"],
    ["pause", "--for", "1e99h"],
    ["queue", "add", "x", "--at", "2026-13-45"],
    ["queue", "add", "x", "--in", "9".repeat(400)],
    ["memory", "list", "--after", "m_1' --"],
  ])("%s %s %s %s %#", async (...args) => {
    const ended = await shared.run(...args)
    expect([1, 2]).toContain(ended.code)
    expectPlain(ended)
    await expectUnharmed()
  })
})

describe("A text that is none", () => {
  async function told(bytes: Uint8Array, ...args: string[]): Promise<Ended> {
    const child = shared.start("memory", "add", "-", ...args)
    child.stdin?.end(bytes)
    return ending(child)
  }

  test.each<[string, Uint8Array, number[]]>([
    ["NUL bytes between words", Buffer.from("nul\0byte\0here"), [0, 4]],
    ["nothing but NUL bytes", Buffer.alloc(100), [2, 4]],
    ["a picture", Buffer.from(Array.from({ length: 3000 }, (_, index) => (index * 7919) % 256)), [0, 4]],
    ["half of a letter", Buffer.from([0xc3]), [0, 2, 4]],
    ["1 MB without a space", Buffer.alloc(1_000_000, "x"), [0, 4]],
    ["5 MB, more than a request may hold", Buffer.alloc(5_000_000, "y "), [2, 4]],
  ])("%s", async (_, bytes, codes) => {
    const ended = await told(bytes)
    expect(codes).toContain(ended.code)
    expectPlain(ended)
    await expectUnharmed()
  })

  test("half of a character as JSON spells it", async () => {
    const asked = client.add({ content: "half \ud800 of one", verbatim: true })
    await asked.catch(() => undefined)
    const { stdout, code } = await shared.run("memory", "export")
    expect(code).toBe(0)
    expect(() => JSON.parse(stdout)).not.toThrow()
  })

  test("an argument of 120 kB", async () => {
    const ended = await shared.run("memory", "add", "z".repeat(120_000))
    expect([0, 4]).toContain(ended.code)
    expectPlain(ended)
  })
})

describe("A text that speaks to the terminal comes out of nothing that is shown", () => {
  const speech = "\u001b[31m\u001b]0;owned\u0007\u001b[2J\u009b31m\u009d0;owned\u009c\r\b"
  let installation: Installation
  let id = ""
  const over: (() => void)[] = []

  beforeAll(async () => {
    installation = createPlainInstallation({ onEnd: (work) => void over.push(work) })
    const project = join(installation.home, `a project\u001b]0;owned\u0007`)
    mkdirSync(project)
    const { client } = await installation.daemon()
    const known = { tags: [`tag${speech}`], audience: `those${speech}`, triggers: [`word${speech}`] }
    const more = { context: `context${speech}`, reason: `reason${speech}`, steps: [`step${speech}`] }
    const answer = await client.add({ content: `heron ${speech} told`, ...known, ...more, verbatim: true })
    id = "id" in answer ? answer.id : ""
    await client.add({
      content: `heron of a session ${speech}`,
      sessionId: `session${speech}`,
      verbatim: true,
    })
    await client.add({ content: `heron of a project ${speech}`, project, verbatim: true })
    await client.add({ content: `heron said ${speech} once`, verbatim: true })
    await client.queueAdd({ text: `look at ${speech}` } as never).catch(() => undefined)
  })
  afterAll(() => {
    for (const work of over.reverse()) work()
  })

  test.each([
    ["memory", "list", "--all-projects"],
    ["memory", "show", "ID"],
    ["memory", "search", "heron", "--unlikely", "--all-projects"],
    ["memory", "why", "ID", "--query", "heron"],
    ["memory", "history", "ID"],
    ["memory", "tags", "--all-projects"],
    ["memory", "clusters", "--all-projects"],
    ["memory", "conflicts", "--all-projects"],
    ["memory", "stats"],
    ["memory", "export", "--format", "markdown"],
    ["journal", "-n", "100"],
    ["journal", "-n", "100", "--json"],
    ["memory", "list", "--json"],
    ["undo", "--list"],
    ["recall", "heron"],
    ["queue"],
    ["sessions"],
    ["cycles"],
    ["logs"],
    ["status"],
    ["statusline"],
    ["memory", "tag", "ID", `more${speech}`],
    ["memory", "show", speech],
    [speech],
    ["config", "get", speech],
  ])("%s %s", async (...args) => {
    const ended = await installation.run(...args.map((word) => (word === "ID" ? id : word)))
    expectPlain(ended)
    expect(ended.stdout + ended.stderr).not.toBe("")
  })
})

describe("--json before the command", () => {
  test.each([[["memory", "list"]], [["memory", "search", "train"]], [["snapshot", "list"]], [["status"]]])(
    "%s",
    async (args) => {
      const { code, stdout } = await shared.run("--json", ...args)
      expect(code).toBe(0)
      expect(JSON.parse(stdout)).toMatchObject({ schemaVersion: 1 })
    },
  )
})

function sparse(file: string): void {
  writeFileSync(file, "")
  truncateSync(file, 2 ** 30)
}

describe("A file to import that is none", () => {
  const line = (value: unknown) => `${JSON.stringify(value)}\n`
  const deep = `{"content":"x","tags":${"[".repeat(100_000)}${"]".repeat(100_000)}}\n`
  const whole = '{"schemaVersion":1,"format":"reverie-memory","memories":'

  /** How the file is made, and how the import may end. Every one of them leaves the good line or nothing. */
  const files: [string, (file: string) => void, number[]][] = [
    ["an empty file", (file) => writeFileSync(file, ""), [0]],
    [
      "a program",
      (file) => writeFileSync(file, Buffer.alloc(300_000, "\u007fELF\0\u0001\u0002\n")),
      [1, 2, 4],
    ],
    ["lines nested 100,000 deep", (file) => writeFileSync(file, deep.repeat(3)), [1]],
    ["a whole export nested 100,000 deep", (file) => writeFileSync(file, `${whole}${deep.trim()}}`), [1]],
    [
      "wrong UTF-8",
      (file) => writeFileSync(file, Buffer.from('{"content":"caf\xe9 \xff\xfe au lait"}\n', "latin1")),
      [0, 1, 4],
    ],
    [
      "UTF-16",
      (file) => writeFileSync(file, Buffer.from('\ufeff{"content":"wide"}\n', "utf16le")),
      [1, 2, 4],
    ],
    [
      "a key that is there twice",
      (file) => writeFileSync(file, '{"content":"first","content":"second one counts"}\n'),
      [0],
    ],
    [
      "__proto__ and constructor",
      (file) =>
        writeFileSync(
          file,
          '{"content":"poison","__proto__":{"content":"x","isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}\n',
        ),
      [0, 1],
    ],
    [
      "tags that are objects",
      (file) => writeFileSync(file, line({ content: "x", tags: [{ toString: 1 }] })),
      [1],
    ],
    [
      "numbers out of range",
      (file) =>
        writeFileSync(
          file,
          '{"content":"x","confidence":1e999,"messageIndex":-1,"createdAt":"+999999-01-01T00:00:00Z"}\n',
        ),
      [0, 1],
    ],
    ["100,000 wrong lines", (file) => writeFileSync(file, "{]\n".repeat(100_000)), [1]],
    ["a line of 50 MB", (file) => writeFileSync(file, `{"content":"${"x".repeat(50_000_000)}"}`), [2]],
    [
      "an export in a line of 50 MB",
      (file) => writeFileSync(file, `${whole}["${"x".repeat(50_000_000)}"]}`),
      [2],
    ],
    ["a sparse file of 1 GB", sparse, [2]],
    ["a named pipe", (file) => void execFileSync("mkfifo", [file]), [2]],
    ["a folder", (file) => mkdirSync(file), [2]],
  ]
  test.each(files)("%s", async (_, make, codes) => {
    const file = join(shared.home, `in-${readdirSync(shared.home).length}.jsonl`)
    make(file)
    const started = performance.now()
    const ended = await shared.run("memory", "import", file, "--format", "jsonl", "--verbatim")
    expect(codes).toContain(ended.code)
    expectPlain(ended)
    expect(ended.stderr.length).toBeLessThan(5000)
    expect(performance.now() - started).toBeLessThan(30_000)
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined()
    await expectUnharmed()
  })

  test("/dev/zero", async () => {
    expect(await shared.run("memory", "import", "/dev/zero")).toMatchObject({ code: 2 })
  })

  test.each<[string, () => Buffer]>([
    ["a hundred packed megabytes of one line", () => gzipSync(Buffer.alloc(100_000_000, " "), { level: 1 })],
    ["a packed file in a packed file", () => gzipSync(gzipSync('{"content":"inner"}'))],
  ])("%s", async (_, make) => {
    const file = join(shared.home, `bomb-${readdirSync(shared.home).length}.jsonl.gz`)
    writeFileSync(file, make())
    const ended = await shared.run("memory", "import", file)
    expect([1, 2, 4]).toContain(ended.code)
    expectPlain(ended)
    await expectUnharmed()
  })

  test("a line of 50 MB without a daemon", async () => {
    const alone = createPlainInstallation()
    const file = join(alone.home, "in.jsonl")
    writeFileSync(file, `{"content":"${"x".repeat(50_000_000)}"}`)
    const ended = await alone.run("memory", "import", file)
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringMatching(/Line 1 is longer than 16\.0 MB/) })
  })
})
