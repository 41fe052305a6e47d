import { execFileSync } from "node:child_process"
import { copyFileSync, existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { describe, expect, inject, test } from "vitest"
import { systemRandom } from "../../src/base/random.ts"
import { openMemory } from "../../src/library.ts"
import { contents, expectSentence, running } from "../../testkit/program/durable.ts"
import { throwawayFolder, withoutEmbedder } from "../../testkit/program/home.ts"
import { createPlainInstallation, ending } from "../../testkit/program/program.ts"

const isRoot = process.getuid?.() === 0

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
