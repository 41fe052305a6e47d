import { join } from "node:path"
import pg from "pg"
import { describe, inject, onTestFinished } from "vitest"
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { systemRandom } from "../../src/base/random.ts"
import type { Database } from "../../src/storage/database.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import { throwawayFolder } from "../program/home.ts"

type Options = Partial<Omit<Parameters<typeof openDatabase>[0], "url" | "file">>

/** One database of one kind, empty at first, gone after the test. */
export interface TestDatabase {
  kind: Database["kind"]
  /** What REVERIE_DATABASE_URL would be. */
  url: string
  /** Opens it; again for a second process's view. */
  open(options?: Options): Promise<Database>
}

/** Runs the same suite on SQLite and on PostgreSQL. */
export function describeDatabases(name: string, suite: (create: () => Promise<TestDatabase>) => void): void {
  describe(`${name} on SQLite`, () => suite(async () => testDatabase("sqlite", sqliteUrl())))
  describe.skipIf(inject("postgresUrl") === "")(`${name} on PostgreSQL`, () =>
    suite(async () => testDatabase("postgres", await postgresUrl())),
  )
}

/** An empty SQLite database, for tests that are about something else. */
export function sqliteDatabase(): TestDatabase {
  return testDatabase("sqlite", sqliteUrl())
}

/** A database of the other kind, or of the same where there is no PostgreSQL. */
export async function otherKind(kind: Database["kind"]): Promise<TestDatabase> {
  const canChange = kind === "postgres" || inject("postgresUrl") !== ""
  const wanted = (kind === "sqlite") === canChange ? "postgres" : "sqlite"
  return testDatabase(wanted, wanted === "sqlite" ? sqliteUrl() : await postgresUrl())
}

function testDatabase(kind: Database["kind"], url: string): TestDatabase {
  return {
    kind,
    url,
    async open(options = {}) {
      const defaults = { url, file: "", clock: systemClock, random: systemRandom, log: silentLog }
      const db = await openDatabase({ ...defaults, ...options })
      onTestFinished(() => db.close())
      return db
    },
  }
}

function sqliteUrl(): string {
  return `sqlite:${join(throwawayFolder(), "reverie.db")}`
}

/** The URL of a schema of its own, dropped after the test. */
async function postgresUrl(): Promise<string> {
  const server = inject("postgresUrl")
  const schema = `test_${Buffer.from(systemRandom.bytes(8)).toString("hex")}`
  onTestFinished(async () => {
    const client = new pg.Client(server)
    await client.connect()
    await client.query(`drop schema if exists ${schema} cascade`)
    await client.end()
  })
  const url = new URL(server)
  url.searchParams.set("schema", schema)
  return url.href
}
