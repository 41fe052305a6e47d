import { mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { messageOf } from "../../src/base/errors.ts"
import { encodeBase32, systemRandom } from "../../src/base/random.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import type { Database } from "../../src/storage/database.ts"
import { startPostgresServer } from "../../testkit/setup/postgres-server.ts"
import { connectTo } from "./connect-postgres.ts"
import type { Bench } from "./figures.ts"

/** One empty place for a store and its baseline, gone after the run. */
export interface BenchStore {
  kind: Database["kind"]
  /** What storage.url would be. */
  url: string
  plainUrl: string
  /** What Reverie's own tables take, once everything is closed. */
  diskBytes(): Promise<number>
  /** Brings the database into the state its own upkeep would give it some minutes later. */
  settle(): Promise<void>
}

/** Makes new empty stores of one kind of database. */
export interface StoreMaker {
  kind: Database["kind"]
  create(): Promise<BenchStore>
}

/** Stores in files of a temporary folder. */
export function sqliteStores(bench: Bench): StoreMaker {
  return { kind: "sqlite", create: async () => sqliteStore(temporaryFolder(bench)) }
}

/** A folder that is gone after the run. */
export function temporaryFolder(bench: Bench, within = tmpdir()): string {
  const folder = mkdtempSync(join(realpathSync(within), "reverie-bench-"))
  bench.atEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

function sqliteStore(folder: string): BenchStore {
  return {
    kind: "sqlite",
    url: `sqlite:${join(folder, "reverie.db")}`,
    plainUrl: `sqlite:${join(folder, "plain.db")}`,
    async diskBytes() {
      const files = readdirSync(folder).filter((name) => name.startsWith("reverie.db"))
      return files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
    },
    async settle() {},
  }
}

const settled = "memories edges journal memory_terms terms vectors token_vectors plain_rows plain_text".split(
  " ",
)

/** Stores in schemas of the server REVERIE_DATABASE_URL names, or of one started for this; undefined without. */
export async function postgresStores(bench: Bench): Promise<StoreMaker | undefined> {
  const server = await postgresServer(bench)
  if (server === undefined) return undefined
  return { kind: "postgres", create: async () => postgresStore(bench, server) }
}

async function postgresServer(bench: Bench): Promise<string | undefined> {
  try {
    const given = readEnvironment().databaseUrl
    const url = given !== undefined && /^postgres(ql)?:/.test(given) ? given : await ownServer(bench)
    await onConnection(url, "select 1")
    return url
  } catch (error) {
    bench.say(`left out: the figures for PostgreSQL (${messageOf(error)})`)
    return undefined
  }
}

async function ownServer(bench: Bench): Promise<string> {
  const starting = startPostgresServer()
  bench.atEnd(async () => (await starting.catch(() => undefined))?.stop())
  return (await starting).url
}

function postgresStore(bench: Bench, server: string): BenchStore {
  const schema = `bench_${encodeBase32(systemRandom.bytes(10))}`
  const place = new URL(server)
  place.searchParams.set("schema", schema)
  const url = place.href
  bench.atEnd(() =>
    onConnection(url, `set lock_timeout = '10s'; drop schema if exists ${schema} cascade`).then(() => {}),
  )
  const tables = `select sum(pg_total_relation_size(c.oid))::bigint as bytes from pg_class c
    where c.relnamespace = '${schema}'::regnamespace and c.relkind = 'r' and c.relname not like 'plain%'`
  return {
    kind: "postgres",
    url,
    plainUrl: url,
    diskBytes: async () => Number((await onConnection(url, tables))[0]?.bytes),
    async settle() {
      for (const table of settled) {
        await onConnection(url, `vacuum analyze ${table}`)
      }
    },
  }
}

async function onConnection(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = await connectTo(url)
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}
