import { execFileSync } from "node:child_process"
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, onTestFinished, test } from "vitest"
import { systemRandom } from "../../src/base/random.ts"
import { both, contents, expectSentence, running, withSnapshot } from "../../testkit/program/durable.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createPlainInstallation } from "../../testkit/program/program.ts"

const isRoot = process.getuid?.() === 0

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
      expectSentence(await installation.run(...words), 6, /is missing or empty, but it had your memory/)
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
  expect(stdout).toMatch(new RegExp(`warn +snapshot +the snapshot ${name} has 30 memories, the store 1`))
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
