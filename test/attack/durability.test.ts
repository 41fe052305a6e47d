import { execFileSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import pg from "pg"
import { describe, expect, inject, onTestFinished, test } from "vitest"
import { systemRandom } from "../../src/base/random.ts"
import { openMemory } from "../../src/library.ts"
import { throwawayFolder, withoutEmbedder } from "../../testkit/program/home.ts"
import {
  createPlainInstallation,
  type Ended,
  ending,
  type Installation,
} from "../../testkit/program/program.ts"

const isRoot = process.getuid?.() === 0

/** One sentence on stderr, nothing on stdout, this exit code. */
function expectSentence(ended: Ended, code: number, sentence: RegExp): void {
  expect(ended.stderr).toMatch(sentence)
  expect(ended.stderr.trimEnd().split("\n")).toHaveLength(1)
  expect(ended).toMatchObject({ code, stdout: "" })
}

async function contents({ json }: Installation): Promise<string[]> {
  const { memories } = await json<{ memories: { content: string }[] }>("memory", "list", "--limit", "1000")
  return memories.map(({ content }) => content).sort()
}

/** A daemon with a way to it that outlives its socket. */
async function running(installation = createPlainInstallation({ cwd: "/" })) {
  writeFileSync(installation.paths.configFile, '[embedding]\nmodel = "none"\n[api]\nport = 0\n')
  const daemon = await installation.daemon()
  const { daemon: info } = await daemon.client.status()
  if (!info.running) throw new Error("not running")
  const { token } = JSON.parse(readFileSync(installation.paths.installFile, "utf8"))
  const add = async (content: string) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    const body = JSON.stringify({ content, verbatim: true })
    const asked = fetch(`${info.url}/v1/memories`, { method: "POST", headers, body })
    const answer = await asked.catch(() => undefined)
    if (answer?.ok) return "acknowledged"
    return (await answer?.text().catch(() => undefined)) ?? "hung up"
  }
  return { installation, daemon, add }
}

/** The daemon's files are taken away from under it: nothing is acknowledged from then on, and it stops. */
async function expectNoLie(
  { daemon, add }: Awaited<ReturnType<typeof running>>,
  sentence: RegExp,
): Promise<void> {
  const answer = await add("told afterwards")
  expect(answer).not.toBe("acknowledged")
  expect(answer).toMatch(new RegExp(`${sentence.source}|hung up`))
  expect(await daemon.ended).toBe(6)
}

describe("Somebody takes the files away from under a running daemon", () => {
  test("rm -rf of the whole home", async () => {
    const world = await running()
    expect(await world.add("told before")).toBe("acknowledged")
    rmSync(world.installation.home, { recursive: true })
    await expectNoLie(world, /is gone .*was not saved/)
    // Nor does it come back as the ghost of one.
    expect(existsSync(world.installation.paths.socket)).toBe(false)
  })

  test("rm of the database alone", async () => {
    const world = await running()
    rmSync(world.installation.paths.databaseFile)
    await expectNoLie(world, /reverie\.db is gone .*was not saved/)
  })

  test.each(["-wal", "-shm"])("rm of %s alone: what was acknowledged before is kept", async (ending) => {
    const world = await running()
    expect(await world.add("told before")).toBe("acknowledged")
    rmSync(`${world.installation.paths.databaseFile}${ending}`)
    await expectNoLie(world, /is gone .*was not saved/)
    expect(await contents(world.installation)).toEqual(["told before"])
  })

  test("mv of the home: what was acknowledged is in the moved one", async () => {
    const world = await running()
    expect(await world.add("told before")).toBe("acknowledged")
    const moved = join(throwawayFolder(), "moved")
    renameSync(world.installation.home, moved)
    await expectNoLie(world, /is gone .*moved.*was not saved/)
    expect(await contents(createPlainInstallation({ home: moved }))).toEqual(["told before"])
  })

  test("another installation's database in place of its own", async () => {
    const world = await running()
    const other = createPlainInstallation()
    await other.run("memory", "add", "of somebody else")
    renameSync(other.paths.databaseFile, world.installation.paths.databaseFile)
    await expectNoLie(world, /was replaced by another file.*was not saved/)
    expect(await contents(world.installation)).toEqual(["of somebody else"])
  })

  test.each([
    ["mv of a snapshot over the database", renameSync],
    ["cp of a snapshot over the database", copyFileSync],
  ])("%s: the snapshot is not spoiled", async (_, put) => {
    const world = await running()
    const { paths, run } = world.installation
    await world.add("in the snapshot")
    const { stdout } = await run("snapshot", "take")
    for (let one = 0; one < 20; one += 1) await world.add(`after the snapshot, number ${one}`)
    put(join(paths.snapshotDir, stdout.trim()), paths.databaseFile)
    await expectNoLie(world, /was replaced by another file.*was not saved/)
    expect(await contents(world.installation)).toEqual(["in the snapshot"])
    expect(await run("doctor")).toMatchObject({ stdout: expect.stringContaining("no damage found") })
  })

  test.skipIf(!isRoot)("umount of its disk", async () => {
    const home = throwawayFolder()
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=20m,mode=700", "tmpfs", home])
    const world = await running(createPlainInstallation({ home, cwd: "/" }))
    execFileSync("umount", ["-l", home])
    await expectNoLie(world, /is gone .*unmounted.*was not saved/)
    expect(readdirSync(home)).toEqual([])
  })

  test.skipIf(inject("postgresUrl") === "")("drop schema in PostgreSQL", async () => {
    const schema = `gone_${Buffer.from(systemRandom.bytes(6)).toString("hex")}`
    const url = new URL(inject("postgresUrl"))
    url.searchParams.set("schema", schema)
    const world = await running(createPlainInstallation({ databaseUrl: url.href, cwd: "/" }))
    expect(await world.add("told before")).toBe("acknowledged")
    const admin = new pg.Client(inject("postgresUrl"))
    await admin.connect()
    await dropAgainstLocks(admin, schema)
    await admin.end()
    await expectNoLie(world, /The tables in postgres:.* are gone .*does not exist.*nothing was saved/)
  })
})

/** The daemon writes meanwhile: where both wait for each other, PostgreSQL ends one of them, as it does for any operator. */
async function dropAgainstLocks(admin: pg.Client, schema: string): Promise<void> {
  for (let left = 10; left > 0; left -= 1) {
    try {
      await admin.query(`drop schema ${schema} cascade`)
      return
    } catch (error) {
      if (left === 1 || !/deadlock/.test(String(error))) throw error
    }
  }
}

describe("Somebody takes the files away from under a process without a daemon", () => {
  test("during an import", async () => {
    const { start, home } = createPlainInstallation({ cwd: "/" })
    const child = start("memory", "import", "-", "--verbatim", "--format", "jsonl")
    const ended = ending(child)
    const lines = (from: number) =>
      Array.from({ length: 3000 }, (_, index) => `{"content":"line ${from + index}"}\n`).join("")
    child.stdin?.write(lines(0))
    const file = join(home, "data/reverie.db-wal")
    while (!(existsSync(file) && statSync(file).size > 500_000))
      await new Promise((next) => setImmediate(next))
    rmSync(home, { recursive: true })
    child.stdin?.on("error", () => undefined)
    child.stdin?.end(lines(3000))
    expectSentence(await ended, 6, /reverie\.db is gone .*was not saved/)
  })

  test("in a program that uses the library", async () => {
    const home = throwawayFolder()
    withoutEmbedder(home)
    const memory = await openMemory({ home })
    await memory.remember({ content: "told before" })
    rmSync(home, { recursive: true })
    await expect(memory.remember({ content: "told afterwards" })).rejects.toThrow(/is gone .*was not saved/)
    await memory.close()
    expect(existsSync(home)).toBe(false)
  })
})

/** An installation with a snapshot of two memories, and its name. */
async function withSnapshot() {
  const installation = createPlainInstallation()
  await installation.run("memory", "add", "the first of two", "--verbatim")
  await installation.run("memory", "add", "the other of both", "--verbatim")
  const name = (await installation.run("snapshot", "take")).stdout.trim()
  return { installation, name, file: installation.paths.databaseFile }
}

const both = ["the first of two", "the other of both"]

/** Says what to do, changes nothing, and doing it helps. */
async function expectWayBack(
  { installation, name }: Awaited<ReturnType<typeof withSnapshot>>,
  code: number,
  isFirst = false,
): Promise<void> {
  const { run } = installation
  expectSentence(await run("memory", "list"), code, new RegExp(`snapshot restore ${name}`))
  if (isFirst) {
    expectSentence(await run("start", "--foreground"), code, new RegExp(`snapshot restore ${name}`))
    expect(await run("doctor")).toMatchObject({ code: 1, stdout: expect.stringContaining(name) })
  }
  expect(await run("snapshot", "list")).toMatchObject({ code: 0, stdout: expect.stringContaining(name) })
  expect(await run("snapshot", "restore", name)).toMatchObject({ code: 0 })
  expect(await contents(installation)).toEqual(both)
}

describe("A database that came to harm while nothing ran, before there was a snapshot", () => {
  test.each<[string, (file: string) => void]>([
    ["rm", (file) => rmSync(file)],
    ["truncated to nothing", (file) => truncateSync(file)],
    ["moved away with its folder", (file) => renameSync(dirname(file), join(throwawayFolder(), "moved"))],
  ])("%s is not taken for a new one, and starting anew is possible on purpose", async (_, harm) => {
    const installation = createPlainInstallation()
    expect(await installation.run("add", "told before")).toMatchObject({ code: 0 })
    harm(installation.paths.databaseFile)
    for (const words of [["status"], ["add", "told afterwards"], ["search", "told"]]) {
      expectSentence(
        await installation.run(...words),
        6,
        /is missing or empty, but your memory was kept there/,
      )
    }
    expect(await installation.run("init", "--empty", "--yes")).toMatchObject({ code: 0 })
    expect(await installation.run("add", "told afterwards")).toMatchObject({ code: 0 })
    expect(await contents(installation)).toEqual(["told afterwards"])
  })
})

describe("A database that came to harm while nothing ran, with a snapshot there", () => {
  test.each<[string, (file: string) => void]>([
    ["rm", (file) => rmSync(file)],
    ["truncated to nothing", (file) => truncateSync(file)],
  ])("%s is not taken for a new one", async (_, harm) => {
    const world = await withSnapshot()
    harm(world.file)
    await expectWayBack(world, 6, true)
  })

  test.each<[string, (file: string) => void]>([
    ["its first page overwritten", (file) => scribble(file, 0)],
    ["cut in half", (file) => truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096)],
    ["a text file", (file) => writeFileSync(file, "my notes\n".repeat(1000))],
    ["a picture", (file) => writeFileSync(file, systemRandom.bytes(20_000))],
    ["one byte", (file) => writeFileSync(file, "x")],
    ["a folder", (file) => mkdirSync(file)],
    ["a named pipe", (file) => void execFileSync("mkfifo", [file])],
    ["another program's database", otherProgram],
  ])("%s gets the way back", async (name, harm) => {
    const world = await withSnapshot()
    if (!/overwritten|cut/.test(name)) rmSync(world.file)
    harm(world.file)
    await expectWayBack(world, 1)
  })

  test("every page but the first overwritten is named with the way back, and nothing crashes", async () => {
    const { installation, name, file } = await withSnapshot()
    const pages = statSync(file).size / 4096
    for (let page = 1; page < pages; page += 1) scribble(file, page)
    const listed = await installation.run("memory", "list")
    expectSentence(listed, 1, /is damaged|not a Reverie database/)
    expect(listed.stderr).toContain("snapshot restore")
    expect(await installation.run("snapshot", "restore", name)).toMatchObject({ code: 0 })
    expect(await contents(installation)).toEqual(both)
  })

  test("a snapshot that is damaged itself is not put back", async () => {
    const { installation, name, file } = await withSnapshot()
    const snapshot = join(installation.paths.snapshotDir, name)
    for (let page = 3; page < 12; page += 1) scribble(snapshot, page)
    const before = readFileSync(file)
    expectSentence(await installation.run("snapshot", "restore", name), 1, /is damaged .*nothing was changed/)
    expect(readFileSync(file)).toEqual(before)
    expect(await contents(installation)).toEqual(both)
  })

  test("starting anew is possible, on purpose", async () => {
    const { installation, file } = await withSnapshot()
    rmSync(file)
    expect(await installation.run("init", "--empty", "--yes")).toMatchObject({ code: 0 })
    expect(await contents(installation)).toEqual([])
  })
})

function scribble(file: string, page: number): void {
  const bytes = readFileSync(file)
  bytes.fill(0xa5, page * 4096, page * 4096 + 4096)
  writeFileSync(file, bytes)
}

function otherProgram(file: string): void {
  const db = new DatabaseSync(file)
  db.exec("create table theirs (x)")
  db.close()
}

describe("A log that a killed daemon left behind", () => {
  async function killed() {
    const world = await running()
    await world.add("the first of two")
    await world.add("the other of both")
    const name = (await world.installation.run("snapshot", "take")).stdout.trim()
    for (let one = 0; one < 10; one += 1) await world.add(`after the snapshot, number ${one}`)
    world.daemon.process.kill("SIGKILL")
    await world.daemon.ended
    const file = world.installation.paths.databaseFile
    return { installation: world.installation, name, file, log: `${file}-wal` }
  }

  test("cut in the middle of a page: what is whole before it is there", async () => {
    const { installation, log } = await killed()
    truncateSync(log, statSync(log).size - 1000)
    expect(await contents(installation)).toEqual(expect.arrayContaining(both))
    expect(await installation.run("doctor")).toMatchObject({ code: 0 })
  })

  test("beside a snapshot that was copied over the database by hand: it does not spoil it", async () => {
    const { installation, name, file } = await killed()
    copyFileSync(join(installation.paths.snapshotDir, name), file)
    expect(await contents(installation)).toEqual(both)
    expect(await installation.run("doctor")).toMatchObject({ code: 0 })
  })

  test("beside a database that was truncated to nothing: SQLite does not delete it", async () => {
    const { installation, file, log } = await killed()
    rmSync(installation.paths.snapshotDir, { recursive: true })
    const before = statSync(log).size
    truncateSync(file)
    expectSentence(await installation.run("memory", "list"), 6, /its log .* is there/)
    expect(statSync(log).size).toBe(before)
  })
})

test("a bad day does not push the last good snapshot out", async () => {
  const { installation, name, file } = await withSnapshot()
  await installation.run("config", "set", "storage.snapshots_kept", "2")
  const db = new DatabaseSync(file)
  db.exec("delete from memories")
  db.close()
  for (let day = 0; day < 4; day += 1) await installation.run("snapshot", "take")
  const { snapshots } = await installation.json<{ snapshots: { name: string }[] }>("snapshot", "list")
  expect(snapshots.map((one) => one.name)).toContain(name)
  expect(snapshots).toHaveLength(3)
  expect(await installation.run("snapshot", "restore", name)).toMatchObject({ code: 0 })
  expect(await contents(installation)).toEqual(both)
})

test("memories that vanished overnight are noticed by doctor", async () => {
  const installation = createPlainInstallation()
  const lines = Array.from({ length: 30 }, (_, index) => `{"content":"number ${index}"}`).join("\n")
  writeFileSync(join(installation.home, "in.jsonl"), lines)
  await installation.run("memory", "import", join(installation.home, "in.jsonl"), "--verbatim")
  const name = (await installation.run("snapshot", "take")).stdout.trim()
  const db = new DatabaseSync(installation.paths.databaseFile)
  db.exec("delete from memories where content <> 'number 7'")
  db.close()
  const { stdout } = await installation.run("doctor")
  expect(stdout).toMatch(new RegExp(`warn +snapshot +the snapshot ${name} holds 30 memories, the store 1`))
})

describe("kill -9", () => {
  test("while adding: what was acknowledged is there, once", async () => {
    const world = await running()
    const acknowledged: string[] = []
    const adding = (async () => {
      for (let one = 0; one < 500; one += 1) {
        const content = `number ${one}`
        if ((await world.add(content)) !== "acknowledged") return
        acknowledged.push(content)
        if (one === 30) setImmediate(() => world.daemon.process.kill("SIGKILL"))
      }
    })()
    await adding
    expect(acknowledged.length).toBeGreaterThan(30)
    const found = await contents(world.installation)
    expect(new Set(found).size).toBe(found.length)
    expect(found).toEqual(expect.arrayContaining(acknowledged))
  })

  test("while importing: the file can be imported again and nothing is there twice", async () => {
    const installation = createPlainInstallation()
    const file = join(installation.home, "in.jsonl")
    writeFileSync(file, Array.from({ length: 900 }, (_, index) => `{"content":"number ${index}"}`).join("\n"))
    const child = installation.start("memory", "import", file, "--verbatim")
    const log = `${installation.paths.databaseFile}-wal`
    while (!(existsSync(log) && statSync(log).size > 500_000)) await new Promise((next) => setImmediate(next))
    child.kill("SIGKILL")
    await ending(child)
    expect(await installation.run("memory", "import", file, "--verbatim")).toMatchObject({ code: 0 })
    expect(await contents(installation)).toHaveLength(900)
  })

  test("while a snapshot is taken or put back: there is never half a database", async () => {
    const { installation, name } = await withSnapshot()
    for (const [after, args] of [
      [200, ["snapshot", "take"]],
      [280, ["snapshot", "take"]],
      [200, ["snapshot", "restore", name]],
      [260, ["snapshot", "restore", name]],
      [320, ["snapshot", "restore", name]],
    ] as const) {
      const child = installation.start(...args)
      const ended = ending(child)
      execFileSync("sleep", [String(after / 1000)])
      child.kill("SIGKILL")
      await ended
      expect(await contents(installation)).toEqual(both)
    }
    const { snapshots } = await installation.json<{ snapshots: { name: string }[] }>("snapshot", "list")
    for (const one of snapshots) {
      expect(await installation.run("snapshot", "restore", one.name)).toMatchObject({ code: 0 })
      expect(await contents(installation)).toEqual(both)
    }
  })
})

test("three daemons at once: one stays", async () => {
  const installation = createPlainInstallation()
  const daemons = Array.from({ length: 3 }, () => installation.start("start", "--foreground"))
  const first = await Promise.race(daemons.map((one) => ending(one)))
  expect(first).toMatchObject({ code: 1, stderr: expect.stringMatching(/already/) })
  await installation.run("memory", "add", "told to the one that stayed")
  expect(await contents(installation)).toEqual(["told to the one that stayed"])
})

test.skipIf(!isRoot)(
  "a disk that is full when a snapshot is taken: the older ones and the memory stay",
  async () => {
    const home = throwawayFolder()
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=3m,mode=700", "tmpfs", home])
    onTestFinished(() => void execFileSync("umount", ["-l", home]))
    const installation = createPlainInstallation({ home, cwd: "/" })
    await installation.run("memory", "add", "told before")
    await installation.run("snapshot", "take")
    const before = readdirSync(installation.paths.snapshotDir)
    execFileSync("sh", ["-c", 'head -c 10M /dev/zero > "$1"/filler 2>/dev/null || true', "sh", home])
    expectSentence(await installation.run("snapshot", "take"), 1, /disk .*(is full|failed)/)
    expect(readdirSync(installation.paths.snapshotDir)).toEqual(before)
    rmSync(join(home, "filler"))
    expect(await contents(installation)).toEqual(["told before"])
  },
)

/** Every file and folder below one, with what others may do with it. */
function openToOthers(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => (lstatSync(join(folder, name)).mode & 0o077) !== 0,
  )
}

describe("Other users of the machine", () => {
  const loose = (home: string) => {
    const program = join(import.meta.dirname, "../../bin/reverie")
    const command = ["sh", "-c", 'umask 000; exec "$0" "$@"', program]
    withoutEmbedder(home)
    return createPlainInstallation({ home, command })
  }

  test("find nothing readable under umask 000: socket, token, database, snapshots, log, export, settings", async () => {
    const installation = loose(throwawayFolder())
    rmSync(installation.paths.configFile)
    await installation.run("init", "--yes")
    await installation.run("config", "set", "embedding.model", "none")
    await installation.daemon()
    await installation.run("memory", "add", "private")
    await installation.run("snapshot", "take")
    await installation.run("memory", "export", join(installation.home, "out.json"))
    await installation.run("memory", "export", join(installation.home, "out.md"), "--format", "markdown")
    expect(existsSync(installation.paths.logFile)).toBe(true)
    expect(openToOthers(installation.home)).toEqual([])
  })

  test("find nothing readable in a home that was open to all before", async () => {
    const home = throwawayFolder()
    chmodSync(home, 0o777)
    const installation = loose(home)
    await installation.run("memory", "add", "private")
    await installation.run("snapshot", "take")
    expect(openToOthers(home)).toEqual([])
  })

  test.each(["data", "state"])("put a %s folder that all may write to in our way", async (folder) => {
    const installation = createPlainInstallation()
    mkdirSync(join(installation.home, folder))
    chmodSync(join(installation.home, folder), 0o777)
    expectSentence(await installation.run("memory", "add", "x"), 1, /can be changed by other users/)
    expect(readdirSync(join(installation.home, folder))).toEqual([])
  })

  test("put a link in the socket's place: what it leads to is left alone", async () => {
    const installation = createPlainInstallation()
    const victim = join(throwawayFolder(), "victim")
    writeFileSync(victim, "mine")
    chmodSync(victim, 0o644)
    symlinkSync(victim, installation.paths.socket)
    await installation.daemon()
    expect(readFileSync(victim, "utf8")).toBe("mine")
    expect(statSync(victim).mode & 0o777).toBe(0o644)
    expect(lstatSync(installation.paths.socket).isSocket()).toBe(true)
  })

  test.each(["token", "log"])(
    "put a link in the place of the %s: nothing is written through it",
    async (what) => {
      const installation = createPlainInstallation()
      const { installFile, logFile } = installation.paths
      const victim = join(throwawayFolder(), "victim")
      mkdirSync(join(installation.home, "state"), { mode: 0o700 })
      symlinkSync(victim, what === "token" ? installFile : logFile)
      await installation.run("start")
      expect(existsSync(victim)).toBe(false)
      await installation.run("stop")
    },
  )

  test("put a link among the snapshots: it is neither listed nor put back", async () => {
    const { installation, name } = await withSnapshot()
    const planted = "reverie-20300101T000000000Z.db"
    symlinkSync("/etc/passwd", join(installation.paths.snapshotDir, planted))
    const { stdout } = await installation.run("snapshot", "list")
    expect(stdout).toContain(name)
    expect(stdout).not.toContain(planted)
    expectSentence(await installation.run("snapshot", "restore", planted), 1, /There is no snapshot/)
  })

  test.each(["../../../etc/passwd", "/etc/passwd", "..", "", "reverie-20300101T000000000Z.db/../x"])(
    "name a snapshot %j",
    async (name) => {
      const { installation } = await withSnapshot()
      expect(await installation.run("snapshot", "restore", name)).toMatchObject({ code: 1, stdout: "" })
      expect(await contents(installation)).toEqual(both)
    },
  )
})
