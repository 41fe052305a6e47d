import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, inject, onTestFinished, test } from "vitest"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createPlainInstallation, type Ended } from "../../testkit/program/program.ts"

/** One sentence on stderr, nothing on stdout, this exit code. */
function expectSentence(ended: Ended, code: number, sentence: RegExp): void {
  expect(ended.stderr).toMatch(sentence)
  expect(ended.stderr.trimEnd().split("\n")).toHaveLength(1)
  expect(ended).toMatchObject({ code, stdout: "" })
}

describe("A wrong command line", () => {
  const cases: [string, string[], RegExp][] = [
    ["an unknown command", ["memroy"], /unknown command 'memroy'/],
    ["an unknown option", ["status", "--jsn"], /unknown option '--jsn'.*--json/s],
    ["a word too many", ["stop", "extra"], /too many arguments.*stop --help/s],
    [
      "a word too many inside of a group",
      ["chat", "sources", "add"],
      /too many arguments.*chat sources --help/s,
    ],
    [
      "an unknown command of a group",
      ["chat", "foo"],
      /unknown command 'foo'.*chat --help` lists its commands/s,
    ],
    [
      "a missing text",
      ["memory", "add"],
      /memory add` needs a text, as in `.*memory add "The staging port is 5433"/,
    ],
    ["an empty text", ["memory", "add", "  "], /There is no text to remember/],
    ["a wrong type", ["memory", "add", "x", "--type", "fcat"], /Allowed choices are fact, preference/],
    ["a wrong number", ["memory", "list", "--limit", "many"], /whole number/],
    [
      "a project that is not there",
      ["memory", "add", "x", "--project", "/no/such"],
      /\/no\/such does not exist/,
    ],
    ["a session scope without session", ["memory", "add", "x", "--scope", "session"], /give --session/],
    ["a file that is not there", ["memory", "import", "/no/such"], /does not exist/],
    ["an unknown setting", ["config", "get", "api.prt"], /did you mean api.port\?/],
    ["a setting like no other", ["config", "get", "foo"], /`.*config get` lists all settings/],
    ["a setting without a name", ["config", "explain", ""], /name of the setting is empty/],
    [
      "a table instead of a setting",
      ["config", "get", "api"],
      /api is a table; .*such as api\.http or api\.port\./,
    ],
    [
      "a table to explain",
      ["config", "explain", "chat"],
      /chat is a table; name a key in it, such as chat\./,
    ],
    [
      "a misspelt table",
      ["config", "get", "memori"],
      /did you mean a key in memory, such as memory\.enabled/,
    ],
    [
      "a project to check that is not there",
      ["config", "validate", "--project", "/no/such"],
      /does not exist; give/,
    ],
    ["a session without id", ["sessions", "show", ""], /The id is empty; give one\./],
    ["a session to read without id", ["extract", ""], /The id is empty; give one\./],
    ["a request without id", ["inbox", "show", ""], /The id is empty; give one\./],
    ["a cycle that is a dot", ["cycles", "show", "."], /“\.” is not an id\./],
    ["a plan that is two dots", ["queue", "cancel", ".."], /“\.\.” is not an id\./],
    ["a memory that is two dots", ["memory", "show", ".."], /“\.\.” is not an id\./],
    ["an empty level", ["trust", ""], /The level is empty; give observe/],
    ["a file without a name", ["memory", "import", ""], /The name of the file is empty; give one\./],
    ["a snapshot without a name", ["snapshot", "restore", ""], /The name of the snapshot is empty/],
    ["a folder for an export", ["memory", "export", "/"], /\/ is a folder; name a file\./],
    ["a speaker without a name", ["chat", "terminal", "--as", ""], /name after --as is empty/],
    [
      "an unknown command to explain",
      ["help", "serch"],
      /There is no command serch \(did you mean search\?\)\.\n\(`/,
    ],
    [
      "an unknown command of a group to explain",
      ["memory", "help", "nosuch"],
      /There is no command nosuch\.\n\(`/,
    ],
    ["a plan without a text", ["queue", "add"], /queue add "Look for flaky tests"/],
    ["an answer to nothing", ["inbox", "respond"], /inbox respond 3vh2pr "Use the staging database"/],
    ["a wrong value", ["config", "set", "api.port", "x"], /must be a whole number/],
  ]
  for (const [name, args, sentence] of cases) {
    test(`with ${name} says so and exits with 2`, async () => {
      const ended = await createPlainInstallation().run(...args)
      expect(ended.stderr).toMatch(sentence)
      expect(ended.code).toBe(2)
    })
  }

  test("asking for what is not there exits with 1", async () => {
    const installation = createPlainInstallation()
    expectSentence(
      await installation.run("memory", "show", "m_nothing"),
      1,
      /There is no memory m_nothing; .*list/,
    )
    expectSentence(await installation.run("undo"), 1, /There is nothing to undo/)
    expectSentence(await installation.run("snapshot", "restore", "x"), 1, /There is no snapshot x/)
  })

  test("a text that may not be remembered exits with 4", async () => {
    const installation = createPlainInstallation()
    expect(await installation.run("config", "set", "memory.enabled", "false")).toMatchObject({ code: 0 })
    expectSentence(await installation.run("memory", "add", "x"), 4, /Not saved: memory is switched off/)
    expect((await installation.run("memory", "search", "x")).stderr).toMatch(/switched off/)
  })

  test("export never overwrites a file unasked", async () => {
    const installation = createPlainInstallation()
    const file = join(installation.home, "out.json")
    writeFileSync(file, "mine")
    expectSentence(await installation.run("memory", "export", file), 2, /exists; give --force/)
    expect(readFileSync(file, "utf8")).toBe("mine")
    expect(await installation.run("memory", "export", file, "--force")).toMatchObject({ code: 0 })
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ format: "reverie-memory" })
  })
})

describe("A wrong configuration", () => {
  test("stops every command that needs it with file, line and fix, and loses nothing", async () => {
    const installation = createPlainInstallation()
    const file = installation.paths.configFile
    for (const [text, sentence] of [
      ["[storage\n", /config\.toml, line 1: this is not valid TOML/],
      [
        "[storage]\nurll = 1\n",
        /config\.toml, line 2: storage\.urll is not a setting; did you mean storage\.url\?/,
      ],
      ["[api]\nport = -1\n", /config\.toml, line 2: api\.port must be/],
    ] as const) {
      writeFileSync(file, text)
      for (const command of [["status"], ["memory", "list"], ["start"], ["start", "--foreground"]]) {
        expectSentence(await installation.run(...command), 1, sentence)
      }
      expect(await installation.run("config", "validate")).toMatchObject({ code: 1 })
      expect(await installation.run("doctor")).toMatchObject({ code: 1 })
      expect(readFileSync(file, "utf8")).toBe(text)
    }
  })

  test("a wrong URL is named, without its password", async () => {
    const wrong: [string, RegExp][] = [
      ["mysql://localhost/x", /REVERIE_DATABASE_URL must be/],
      ["postgres://me:secret@127.0.0.1:1/db", /postgres:\/\/127\.0\.0\.1:1\/db .*does not answer/],
      ["postgres://me:secret@[bad/db", /not a URL|does not answer/],
      ["postgres://localhost/db?schema=A-b", /schema "A-b"; use small letters/],
    ]
    for (const [databaseUrl, sentence] of wrong) {
      const ended = await createPlainInstallation({ databaseUrl }).run("memory", "list")
      expectSentence(ended, 1, sentence)
      expect(ended.stderr).not.toContain("secret")
    }
  })

  test.skipIf(inject("postgresUrl") === "")(
    "a PostgreSQL database that does not exist is named",
    async () => {
      const url = new URL(inject("postgresUrl"))
      url.pathname = "/nowhere"
      expectSentence(
        await createPlainInstallation({ databaseUrl: url.href }).run("status"),
        1,
        /does not exist.*createdb/,
      )
    },
  )
})

describe("A database that cannot be used", () => {
  test("because a newer program wrote it, is left as it is", async () => {
    const installation = createPlainInstallation()
    await installation.run("memory", "add", "old")
    const db = new DatabaseSync(installation.paths.databaseFile)
    db.exec("insert into migrations values (99, 'later', 0)")
    db.close()
    for (const command of [
      ["memory", "list"],
      ["start", "--foreground"],
    ]) {
      expectSentence(
        await installation.run(...command),
        1,
        /written by a newer Reverie \(schema 99.*update Reverie/,
      )
    }
  })

  test("because it is another program's, or no database at all, is left as it is", async () => {
    const installation = createPlainInstallation()
    mkdirSync(installation.paths.dataDir, { recursive: true })
    const file = installation.paths.databaseFile
    writeFileSync(
      file,
      "this is a text file, and long enough to be looked at as a database header".repeat(20),
    )
    const before = readFileSync(file)
    expectSentence(
      await installation.run("memory", "list"),
      1,
      /is not a Reverie database; it was left as it is/,
    )
    expect(readFileSync(file)).toEqual(before)
    rmSync(file)
    const foreign = new DatabaseSync(file)
    foreign.exec("create table mine (x)")
    foreign.close()
    expectSentence(await installation.run("memory", "list"), 1, /is not a Reverie database/)
  })

  test("because it is damaged, is found by doctor", async () => {
    const installation = createPlainInstallation()
    const lines = Array.from({ length: 400 }, (_, index) =>
      JSON.stringify({ content: `memory number ${index}` }),
    )
    const input = join(installation.home, "in.jsonl")
    writeFileSync(input, lines.join("\n"))
    await installation.run("memory", "import", input, "--verbatim")
    const file = installation.paths.databaseFile
    const bytes = readFileSync(file)
    bytes.fill(0xa5, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 30_000)
    writeFileSync(file, bytes)
    const { code, stdout } = await installation.run("doctor")
    expect(code).toBe(1)
    expect(stdout).toMatch(/error +database/)
    expect(stdout).toMatch(/snapshot/)
  })
})

const isRoot = process.getuid?.() === 0

describe.skipIf(!isRoot)("A disk (these tests need root to mount one)", () => {
  function mountedFolder(options: string): string {
    const folder = throwawayFolder()
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder])
    onTestFinished(() => void execFileSync("umount", ["-l", folder]))
    return folder
  }

  test("that is full gives one sentence; what was there stays, and there is room again later", async () => {
    const home = mountedFolder("size=1500k,mode=700")
    const installation = createPlainInstallation({ home, cwd: "/" })
    expect(await installation.run("memory", "add", "before it was full")).toMatchObject({ code: 0 })
    execFileSync("sh", ["-c", 'head -c 10M /dev/zero > "$1"/filler 2>/dev/null || true', "sh", home])
    const full = await installation.run("memory", "add", "x".repeat(15_000))
    expectSentence(full, 1, /disk of .* is full; nothing was changed|disk failed/)
    rmSync(join(home, "filler"))
    expect((await installation.run("memory", "list")).stdout).toContain("before it was full")
    expect(await installation.run("memory", "add", "afterwards")).toMatchObject({ code: 0 })
    expect(await installation.run("doctor")).toMatchObject({ code: 0 })
  })

  test("that is read-only gives one sentence", async () => {
    const home = mountedFolder("size=5m,mode=700")
    const installation = createPlainInstallation({ home, cwd: "/" })
    await installation.run("memory", "add", "before")
    execFileSync("mount", ["-o", "remount,ro", home])
    expectSentence(await installation.run("memory", "add", "x"), 1, /cannot be (written|opened)/)
    expectSentence(await installation.run("start", "--foreground"), 1, /cannot be (written|opened)|read-only/)
    expect(await installation.run("doctor")).toMatchObject({ code: 1 })
  })
})

test("the state folder of another file is not overwritten", async () => {
  const installation = createPlainInstallation()
  writeFileSync(join(installation.home, "data"), "a file in the way")
  expectSentence(await installation.run("memory", "list"), 1, /a file is in its place/)
})

test("files that others can read are noticed", async () => {
  const installation = createPlainInstallation()
  await installation.run("memory", "add", "private")
  const { databaseFile } = installation.paths
  expect((await installation.run("doctor")).stdout).not.toContain("chmod 600")
  chmodSync(databaseFile, 0o644)
  const warned = (await installation.run("doctor")).stdout
    .split("\n")
    .find((line) => /warn +private/.test(line))
  expect(warned).toContain(`chmod 600 '${databaseFile}'`)
})

test("a socket folder that others may change is not used, one of our group is", async () => {
  const installation = createPlainInstallation()
  chmodSync(installation.home, 0o777)
  expectSentence(await installation.run("start", "--foreground"), 1, /can be changed by other users/)
  chmodSync(installation.home, 0o775)
  expect(await (await installation.daemon()).client.daemon()).toMatchObject({
    socket: installation.paths.socket,
  })
})
