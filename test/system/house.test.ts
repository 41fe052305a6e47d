import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { throwawayFolder } from "../../testkit/program/home.ts"

const root = join(import.meta.dirname, "../..")

/** Runs the check of folders and tables on a small tree with these files. */
function check(files: Record<string, string>) {
  const folder = throwawayFolder()
  const migration =
    'export const script = "create table sessions (id text); create table memories (id text)"\n'
  const all = { "src/storage/migrations/001-all.ts": migration, ...files }
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(join(folder, name, ".."), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const { status, stdout } = spawnSync(process.execPath, [join(root, "scripts/check-house.ts")], {
    cwd: folder,
    encoding: "utf8",
  })
  return { status, text: stdout.trim() }
}

/** A file that reads a table, by an `sql` template. */
function reads(table: string): string {
  return `export const statement = sql\`select id from \${other}, 1 as one\n  from ${table} where true\`\n`
}

test("a table is named by its owner, and by the search index of each database", () => {
  const files = {
    "src/sessions/sessions.ts": reads("sessions"),
    "src/memory/model/store.ts": reads("memories"),
    "src/storage/sqlite/search.ts": reads("memories"),
  }
  expect(check(files)).toEqual({ status: 0, text: "" })
})

test("a table that another folder names is refused, with the folder to go to", () => {
  expect(check({ "src/api/routes/list.ts": reads("sessions") })).toEqual({
    status: 1,
    text: "src/api/routes/list.ts:2 names the table sessions in SQL, which only src/sessions may: call a function of src/sessions, or write one there.",
  })
  const plain = 'export const count = () => db.prepare("select count(*) as n from memories").get()\n'
  expect(check({ "src/activities/count.ts": plain }).text).toContain(
    "src/activities/count.ts:1 names the table",
  )
  const nested = "export const part = sql`select 1 where $" + "{sql`exists (select 1 from memories m)`}`\n"
  expect(check({ "src/recall/part.ts": nested }).text).toContain(
    "src/recall/part.ts:1 names the table memories",
  )
})

test("what only sounds like a statement is no statement", () => {
  const prose = 'export const help = "Select what is learned from sessions."\n// read it from memories\n'
  expect(check({ "src/api/help.ts": prose }).status).toBe(0)
})

test("a new table needs an owner", () => {
  const migration = 'export const script = "create table parcels (id text)"\n'
  const { status, text } = check({ "src/storage/migrations/002-parcels.ts": migration })
  expect(status).toBe(1)
  expect(text).toBe("The table parcels belongs to no folder: add it to the owners in scripts/check-house.ts.")
})

test("a folder with too many loose files is refused", () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`src/api/file-${index}.ts`, ""]))
  expect(check(many(16)).status).toBe(0)
  const { status, text } = check(many(17))
  expect(status).toBe(1)
  expect(text).toContain("src/api holds 17 files")
})
