import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import pg from "pg"
import { describe, expect, inject, onTestFinished, test } from "vitest"
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { isAlive } from "../../src/base/processes.ts"
import { systemRandom } from "../../src/base/random.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import { sql } from "../../src/storage/sql.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createPlainInstallation } from "../../testkit/program/program.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { findPostgres, startPostgresServer } from "../../testkit/setup/postgres-server.ts"

describe("The daemon lives on", () => {
  test("when its lease ran out and a second one is refused", async () => {
    const installation = createPlainInstallation()
    const daemon = await installation.daemon()
    const url = `sqlite:${installation.paths.databaseFile}`
    const db = await openDatabase({ url, file: "", clock: systemClock, random: systemRandom, log: silentLog })
    onTestFinished(() => db.close())
    await db.write((transaction) => transaction.run(sql`update leases set expires_at = 0`))
    expect(await installation.run("start", "--foreground")).toMatchObject({ code: 1 })
    const rows = await db.read(sql`select name from leases where name like ${"daemon/%"}`)
    expect(rows).toHaveLength(1)
    expect(await daemon.client.status()).toMatchObject({ daemon: { running: true } })
  })

  test("when its socket is removed: it can still be stopped", async () => {
    const installation = createPlainInstallation()
    const daemon = await installation.daemon()
    rmSync(installation.paths.socket)
    expect(await installation.run("stop")).toMatchObject({ code: 0, stderr: "Stopped.\n" })
    expect(await daemon.ended).toBe(0)
  })

  test.skipIf(process.getuid?.() !== 0)("when its disk is full", async () => {
    const home = throwawayFolder()
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m,mode=700", "tmpfs", home])
    onTestFinished(() => void execFileSync("umount", ["-l", home]))
    const installation = createPlainInstallation({ home, cwd: "/" })
    const daemon = await installation.daemon()
    execFileSync("sh", ["-c", 'head -c 10M /dev/zero > "$1"/filler 2>/dev/null || true', "sh", home])
    const full = await installation.run("memory", "add", "x".repeat(15_000))
    expect(full.code).toBe(1)
    expect(full.stderr).toMatch(/^reverie: The disk .*\n$/)
    rmSync(join(home, "filler"))
    expect(await installation.run("memory", "add", "again")).toMatchObject({ code: 0 })
    expect(isAlive(daemon.process.pid ?? 0)).toBe(true)
  })

  test.skipIf("missing" in findPostgres())(
    "when PostgreSQL goes away and comes back, and can be stopped meanwhile",
    async () => {
      const server = await startPostgresServer()
      onTestFinished(() => server.stop())
      const installation = createPlainInstallation({ databaseUrl: server.url })
      const daemon = await installation.daemon()
      await installation.run("memory", "add", "before")
      const admin = new pg.Client(server.url)
      await admin.connect()
      const others =
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'reverie'"
      await admin.query(others)
      await admin.end()
      expect(await installation.run("memory", "add", "after a cut")).toMatchObject({ code: 0 })
      await server.stop()
      const gone = await installation.run("memory", "add", "while it is away")
      expect(gone).toMatchObject({ code: 1, stderr: expect.stringMatching(/does not answer/) })
      expect(await daemon.client.daemon()).toMatchObject({ pid: daemon.process.pid })
      expect(await installation.run("stop")).toMatchObject({ code: 0 })
      expect(await daemon.ended).toBe(0)
    },
  )
})

describeDatabases("A reader that leaves an export early", (create) => {
  test("does the daemon no harm", async () => {
    const { url } = await create()
    const installation = createPlainInstallation({ databaseUrl: url })
    const lines = Array.from({ length: 500 }, (_, index) => JSON.stringify({ content: `number ${index}` }))
    writeFileSync(join(installation.home, "in.jsonl"), lines.join("\n"))
    await installation.run("memory", "import", join(installation.home, "in.jsonl"), "--verbatim")
    const daemon = await installation.daemon()
    for (let chunks = 0; chunks < 25; chunks += 1) {
      const reader = (await daemon.client.export("json")).getReader()
      for (let read = 0; read < chunks; read += 1) if ((await reader.read()).done) break
      await reader.cancel()
    }
    expect(await daemon.client.status()).toMatchObject({ daemon: { running: true } })
  })
})

describe("A command", () => {
  test("does not use another database than it was told to", async () => {
    const installation = createPlainInstallation()
    await installation.daemon()
    const other = createPlainInstallation({ home: installation.home, databaseUrl: "sqlite:other.db" })
    const ended = await other.run("memory", "add", "for the other database")
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/uses another database than REVERIE_DATABASE_URL/),
    })
    expect((await installation.run("memory", "list")).stdout).toBe("")
  })

  test("finds a relative SQLite path beside its own database, from every folder", async () => {
    const home = throwawayFolder()
    const here = createPlainInstallation({ home, databaseUrl: "sqlite:mine.db" })
    await here.run("memory", "add", "told here")
    const there = createPlainInstallation({ home, databaseUrl: "sqlite:mine.db", cwd: throwawayFolder() })
    expect((await there.run("memory", "list")).stdout).toContain("told here")
  })

  test("obeys the configuration of the folder it is given in", async () => {
    const folder = throwawayFolder()
    mkdirSync(join(folder, ".reverie"))
    mkdirSync(join(folder, "below"))
    writeFileSync(join(folder, ".reverie/config.toml"), "[memory]\nenabled = false\n")
    const { run, home } = createPlainInstallation({ cwd: join(folder, "below") })
    expect(await run("memory", "add", "not to be kept")).toMatchObject({ code: 4 })
    writeFileSync(join(home, "in.jsonl"), '{"content":"nor this"}\n')
    expect(await run("memory", "import", join(home, "in.jsonl"))).toMatchObject({ code: 4 })
    expect((await run("memory", "list", "--all-projects")).stdout).toBe("")
  })

  test("does not let a memory speak to the terminal", async () => {
    const { run } = createPlainInstallation()
    await run("memory", "add", "x \u001b]0;owned\u0007 \u001b[2J y")
    for (const args of [["memory", "search", "owned"], ["memory", "list"], ["journal"]]) {
      const { stdout } = await run(...args)
      expect(stdout).toContain("\\x1b]0;owned\\x07")
      expect(stdout).not.toContain("\u001b]")
    }
  })

  test("writes through links and to devices, and never replaces them", async () => {
    const { run, home } = createPlainInstallation()
    const target = join(home, "target.json")
    writeFileSync(target, "")
    symlinkSync(target, join(home, "link.json"))
    expect(await run("memory", "export", join(home, "link.json"), "--force")).toMatchObject({ code: 0 })
    expect(JSON.parse(readFileSync(target, "utf8"))).toMatchObject({ format: "reverie-memory" })
    expect(await run("memory", "export", "/dev/null")).toMatchObject({ code: 0 })
    expect(statSync("/dev/null").isCharacterDevice()).toBe(true)
  })

  test("names a packed file that is broken", async () => {
    const { run, home } = createPlainInstallation()
    const file = join(home, "broken.json.gz")
    writeFileSync(file, gzipSync("{}\n".repeat(1000)))
    truncateSync(file, 20)
    expect(await run("memory", "import", file)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/not a complete gzip file/),
    })
    writeFileSync(file, "plain text")
    expect(await run("memory", "import", file)).toMatchObject({ code: 2 })
  })

  test("answers failures in JSON where JSON was asked for", async () => {
    const { run } = createPlainInstallation()
    const { code, stdout } = await run("memory", "show", "m_nothing", "--json")
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ schemaVersion: 1, error: { kind: "not-found" } })
  })
})

test.skipIf(inject("postgresUrl") === "")("many first starts at once on PostgreSQL all succeed", async () => {
  const schema = `race_${Buffer.from(systemRandom.bytes(6)).toString("hex")}`
  const url = new URL(inject("postgresUrl"))
  url.searchParams.set("schema", schema)
  const needs = { file: "", clock: systemClock, random: systemRandom, log: silentLog, url: url.href }
  const opened = await Promise.all(Array.from({ length: 12 }, () => openDatabase(needs)))
  await Promise.all(opened.map((db) => db.close()))
  const admin = new pg.Client(inject("postgresUrl"))
  await admin.connect()
  await admin.query(`drop schema ${schema} cascade`)
  await admin.end()
})
