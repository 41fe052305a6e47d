import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { Database } from "../../src/storage/database.ts"
import { allMigrations } from "../../src/storage/migrate.ts"
import { joinSql, sql, sqlList } from "../../src/storage/sql.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import type { CreateDatabase } from "../../testkit/setup/databases.ts"

/** What every database must do, whichever it is. */
export function storageContract(create: CreateDatabase): void {
  test("a new database is sound and holds nothing", async () => {
    const db = await (await create({ bare: true })).open()
    expect(await db.check()).toEqual([])
    expect(await names(db)).toEqual([])
  })

  test("opening it again finds what was written", async () => {
    const store = await create()
    await add(await store.open(), "kept")
    expect(await names(await store.open())).toEqual(["kept"])
  })

  test("values are bound, never pasted into the statement", async () => {
    const db = await (await create()).open()
    const nasty = `'; drop table projects; -- "$1 ? \\ é 日本`
    await add(db, nasty)
    expect(await names(db)).toEqual([nasty])
  })

  test("pieces of statements can be put together", async () => {
    const db = await (await create()).open()
    for (const name of ["a", "b", "c"]) await add(db, name)
    const conditions = [sql`name in ${sqlList(["a", "b"])}`, sql`name <> ${"a"}`]
    const rows = await db.read(sql`select name from projects where ${joinSql(conditions, sql` and `)}`)
    expect(rows.map((row) => ({ ...row }))).toEqual([{ name: "b" }])
    expect(await db.read(sql`select name from projects where name in ${sqlList([])}`)).toEqual([])
  })

  test("a write that fails leaves nothing behind", async () => {
    const db = await (await create()).open()
    const failing = db.write(async (transaction) => {
      await transaction.run(insertion("half"))
      throw new Error("stopped")
    })
    await expect(failing).rejects.toThrow("stopped")
    expect(await names(db)).toEqual([])
    await add(db, "afterwards")
    expect(await names(db)).toEqual(["afterwards"])
  })

  test("readers see nothing that is not committed", async () => {
    const db = await (await create()).open()
    await db.write(async (transaction) => {
      await transaction.run(insertion("new"))
      expect(await names(db)).toEqual([])
      expect(await transaction.read(sql`select name from projects`)).toHaveLength(1)
    })
    expect(await names(db)).toEqual(["new"])
  })

  test("one writer at a time: no update is lost between two connections", async () => {
    const store = await create()
    const connections = [await store.open(), await store.open()]
    await add(connections[0] as Database, "0")
    const increment = (db: Database) =>
      db.write(async (transaction) => {
        const [row] = await transaction.read<{ name: string }>(sql`select name from projects`)
        await transaction.run(sql`update projects set name = ${String(Number(row?.name) + 1)}`)
      })
    await Promise.all(Array.from({ length: 60 }, (_, index) => increment(connections[index % 2] as Database)))
    expect(await names(connections[0] as Database)).toEqual(["60"])
  })

  test("a frozen reader sees one moment, whatever is written meanwhile", async () => {
    const db = await (await create()).open()
    await add(db, "before")
    await db.readTransaction(async (reader) => {
      expect(await reader.read(sql`select name from projects`)).toHaveLength(1)
      await add(db, "meanwhile")
      expect(await reader.read(sql`select name from projects`)).toHaveLength(1)
    })
    expect(await names(db)).toEqual(["before", "meanwhile"])
  })

  test("scrubbing keeps what is there, and works beside other connections and writers", async () => {
    const store = await create()
    const [one, two] = [await store.open(), await store.open()]
    await add(one, "kept")
    expect(await names(two)).toEqual(["kept"])
    const [scrubbed] = await Promise.all([one.vacuum(), add(two, "also kept")])
    expect(scrubbed).toBe(true)
    expect(await names(one)).toEqual(["also kept", "kept"])
    expect(await one.check()).toEqual([])
  })

  test("scrubbing leaves no dead rows in any table", async () => {
    const store = await create()
    // SQLite rewrites its file as a whole.
    if (store.kind === "sqlite") return
    const db = await store.open()
    await db.write(async (transaction) => {
      await transaction.run(sql`insert into gaps (id, install, project, question, at, times, session)
        values ('gap_1', 'install', null, 'a secret question', 0, 1, null)`)
    })
    const size = async () =>
      (await db.read<{ size: number }>(sql`select pg_relation_size('gaps') as size`))[0]?.size
    expect(await size()).toBeGreaterThan(0)
    await db.write((transaction) => transaction.run(sql`delete from gaps`))
    expect(await db.vacuum()).toBe(true)
    expect(await size()).toBe(0)
  })

  test("a commit of another connection is announced", async () => {
    const store = await create()
    const [listener, writer] = [await store.open(), await store.open()]
    const heard = new Promise<void>((resolve) => {
      const stop = listener.onCommit(async () => {
        if ((await names(listener)).length === 0) return
        stop()
        resolve()
      })
    })
    await add(writer, "news")
    await heard
  })

  test("a newer program brings an old database up to date, once, and copies it first where it can", async () => {
    const store = await create()
    await add(await store.open(), "kept")
    const script = "create table later (x integer); insert into later values (1)"
    const migrations = [...allMigrations, { version: 1000, name: "later", sqlite: script, postgres: script }]
    const copied: number[] = []
    const beforeMigration = async (copyTo: (file: string) => Promise<void>, version: number) => {
      const file = join(throwawayFolder(), "copy.db")
      await copyTo(file)
      if (existsSync(file)) copied.push(version)
    }
    const opened = await Promise.all([1, 2].map(() => store.open({ migrations, beforeMigration })))
    for (const db of [...opened, await store.open({ migrations, beforeMigration })]) {
      expect(await db.read(sql`select x from later`)).toHaveLength(1)
      expect(await names(db)).toEqual(["kept"])
    }
    expect(new Set(copied)).toEqual(new Set(store.kind === "sqlite" ? [allMigrations.at(-1)?.version] : []))
  })

  test("a migration that fails changes nothing", async () => {
    const store = await create()
    await add(await store.open(), "kept")
    const script = "create table half (x integer); create table projects (x integer)"
    const migrations = [...allMigrations, { version: 1000, name: "broken", sqlite: script, postgres: script }]
    await expect(store.open({ migrations })).rejects.toThrow(/projects/)
    const db = await store.open()
    expect(await names(db)).toEqual(["kept"])
    await expect(db.read(sql`select * from half`)).rejects.toThrow(/half/)
  })

  test("a database that a newer program wrote is refused and left as it is", async () => {
    const store = await create()
    const db = await store.open()
    await db.write((transaction) =>
      transaction.run(sql`insert into migrations (version, name, applied_at) values (999, 'later', 0)`),
    )
    await expect(store.open()).rejects.toThrow(/newer Reverie \(schema 999.*update Reverie/)
    const [row] = await db.read<{ version: number }>(sql`select max(version) as version from migrations`)
    expect(row?.version).toBe(999)
  })
}

function insertion(name: string) {
  return sql`insert into projects (id, name, root, remote, created_at) values (${name}, ${name}, '/', null, 0)`
}

async function add(db: Database, name: string): Promise<void> {
  await db.write((transaction) => transaction.run(insertion(name)))
}

async function names(db: Database): Promise<string[]> {
  const rows = await db.read<{ name: string }>(sql`select name from projects order by name`)
  return rows.map((row) => row.name)
}
