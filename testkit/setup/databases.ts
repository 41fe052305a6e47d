import { copyFileSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { describe, inject, onTestFinished } from "vitest"
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { systemRandom } from "../../src/base/random.ts"
import type { Database } from "../../src/storage/database.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import { throwawayFolder } from "../program/home.ts"
import { fastestFolder } from "./fastest-folder.ts"

type Options = Partial<Omit<Parameters<typeof openDatabase>[0], "url" | "file">>

/** One database of one kind, empty at first, gone after the test. */
export interface TestDatabase {
  kind: Database["kind"]
  /** What REVERIE_DATABASE_URL would be. */
  url: string
  /** Opens it; again for a second process's view. */
  open(options?: Options): Promise<Database>
}

/** Makes a database for one test. It has its tables already, unless it is to be `bare`. */
export type CreateDatabase = (options?: { bare?: boolean }) => Promise<TestDatabase>

/** Runs the same suite on SQLite and on PostgreSQL. */
export function describeDatabases(name: string, suite: (create: CreateDatabase) => void): void {
  describe(`${name} on SQLite`, () =>
    suite(async ({ bare = false } = {}) => testDatabase("sqlite", sqliteUrl(bare))))
  describe.skipIf(inject("postgresUrl") === "")(`${name} on PostgreSQL`, () =>
    suite(async ({ bare = false } = {}) => testDatabase("postgres", await postgresUrl(bare))),
  )
}

/** A SQLite database without content, for tests that are about something else. */
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

/** In memory where that is possible: the tests kill processes at most, never the machine. A copy of the template. */
function sqliteUrl(bare = false): string {
  const file = join(throwawayFolder(onTestFinished, fastestFolder()), "reverie.db")
  if (!bare) copyFileSync(inject("sqliteTemplate"), file)
  return `sqlite:${file}`
}

/** The URL of a database of its own, a copy of the template, or of a schema of its own; dropped after the test. */
async function postgresUrl(bare = false): Promise<string> {
  const server = new URL(inject("postgresUrl"))
  const template = inject("postgresTemplate")
  const name = `test_${Buffer.from(systemRandom.bytes(8)).toString("hex")}`
  const isCopied = template !== "" && !bare
  onTestFinished(() =>
    administer(
      isCopied ? `drop database if exists ${name} with (force)` : `drop schema if exists ${name} cascade`,
    ),
  )
  if (isCopied) {
    await administer(`create database ${name} template ${template} strategy file_copy`)
    server.pathname = `/${name}`
  } else {
    server.searchParams.set("schema", name)
  }
  return server.href
}

let administrator: Promise<pg.Client> | undefined

/** Runs a statement on a connection that all tests of a process share; it ends with the process, which does not stay for it. */
async function administer(statement: string): Promise<void> {
  administrator ??= connectAdministrator()
  await (await administrator).query(statement)
}

async function connectAdministrator(): Promise<pg.Client> {
  const client = new pg.Client(inject("postgresUrl"))
  await client.connect()
  // The types do not know it.
  ;(client as pg.Client & { unref(): void }).unref()
  return client
}
