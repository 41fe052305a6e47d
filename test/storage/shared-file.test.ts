import { execFileSync } from "node:child_process"
import { statSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { systemRandom } from "../../src/base/random.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import { sql } from "../../src/storage/sql.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"

async function open(file: string, beforeNew?: () => Promise<void>) {
  const needs = { url: `sqlite:${file}`, file: "", clock: systemClock, random: systemRandom, log: silentLog }
  const db = await openDatabase({ ...needs, ...(beforeNew && { beforeNew }) })
  onTestFinished(() => db.close())
  return db
}

type Opened = Awaited<ReturnType<typeof open>>

function addProject(db: Opened, id: string) {
  return db.write((transaction) =>
    transaction.run(sql`insert into projects (id, name, root, created_at) values (${id}, ${id}, ${id}, 0)`),
  )
}

const countProjects = (db: Opened) => db.read<{ n: number }>(sql`select count(*) as n from projects`)

/** Makes the file's head promise more pages than there are, as it does while another process plays a log into it. */
function promisePages(file: string, pages: number): void {
  // In a process of its own: closing the file here would give up this process's locks.
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(pages)
  const script = `
    const { openSync, writeSync } = require("node:fs")
    writeSync(openSync(process.argv[1], "r+"), Buffer.from(process.argv[2], "hex"), 0, 4, 28)`
  execFileSync(process.execPath, ["-e", script, file, bytes.toString("hex")])
}

describe("Processes that share one file", () => {
  test("one that finds no file while another makes it does not take the other's log for a lone one", async () => {
    const file = join(throwawayFolder(), "reverie.db")
    const second = await open(file, async () => {
      await addProject(await open(file), "first")
      expect(statSync(`${file}-wal`).size).toBeGreaterThan(0)
    })
    expect(await countProjects(second)).toEqual([{ n: 1 }])
  })

  test("one that looks at the file while another plays the log into it goes on, and the log stays", async () => {
    const file = join(throwawayFolder(), "reverie.db")
    const db = await open(file)
    // Plays the log into the file.
    await db.vacuum()
    await addProject(db, "before")
    const log = statSync(`${file}-wal`).size
    promisePages(file, 5000)
    await addProject(db, "meanwhile")
    expect(statSync(`${file}-wal`).size).toBeGreaterThanOrEqual(log)
    promisePages(file, statSync(file).size / 4096)
    await addProject(db, "after")
    expect(await countProjects(db)).toEqual([{ n: 3 }])
    expect(await db.check()).toEqual([])
  })
})

test("A new database is not taken for another while all of it is in its log: nothing of that is lost", async () => {
  const file = join(throwawayFolder(), "reverie.db")
  const [one, other] = [await open(file), await open(file)]
  await addProject(one, "first")
  // So begins the first time that a log is played into the file: it grows, and its head is still that of an empty one.
  truncateSync(file, statSync(file).size + 10 * 4096)
  await addProject(other, "second")
  await addProject(one, "third")
  expect(await countProjects(other)).toEqual([{ n: 3 }])
})
