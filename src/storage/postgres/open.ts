import pg from "pg"
import { messageOf, UserError } from "../../base/errors.ts"
import { createLock } from "../../base/lock.ts"
import { bytesText } from "../../base/text/text.ts"
import type { Database, DatabaseNeeds } from "../database.ts"
import { applyMigrations, pendingMigrations } from "../migrate.ts"
import { plainSql, postgresText, type Sql, sql } from "../sql.ts"
import type { Reader, Transaction } from "../transaction.ts"
import { connectionError } from "./errors.ts"
import { listenForCommits } from "./listen.ts"
import { createPostgresSearch } from "./search.ts"

/** Where a URL leads, with our own `?schema=` taken out of it. */
interface Target {
  connectionString: string
  schema: string
  /** Without user and password, for messages. */
  name: string
}

/** 64-bit integers hold times and counts, which all fit a JavaScript number. */
const int8Type = 20

/** Opens a PostgreSQL database with pgvector; all tables live in one schema. */
export async function openPostgres(needs: DatabaseNeeds & { url: string }): Promise<Database> {
  const target = readUrl(needs.url)
  const settings = connectionSettings(target)
  const pool = new pg.Pool({ ...settings, max: 8 })
  pool.on("error", (error) => needs.log.warn("A PostgreSQL connection broke", { reason: messageOf(error) }))
  try {
    await migrate(needs, pool, target)
  } catch (error) {
    await pool.end()
    throw connectionError(error, target.name)
  }
  const lock = createLock()
  const commits = listenForCommits({
    ...needs,
    connect: () => new pg.Client(settings),
    channel: channelOf(target),
  })
  const losses: ((error: UserError) => void)[] = []
  /** Tells of a schema that is gone; the server itself may go and come back. */
  const noticing = async <T>(asked: Promise<T>): Promise<T> => {
    try {
      return await asked
    } catch (error) {
      if (error instanceof UserError && error.kind === "lost") for (const tell of losses) tell(error)
      throw error
    }
  }
  const read = <Row extends object>(query: Sql) => noticing(readWith<Row>(pool, query, target))
  const frozen = <T>(work: (reader: Reader) => Promise<T>) =>
    noticing(withClient(pool, target, (client) => readFrozen(client, target, work)))

  return {
    kind: "postgres",
    location: target.name,
    search: createPostgresSearch({ read }),
    now: () => sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
    read,
    write: (work) =>
      noticing(
        lock.run(() => withClient(pool, target, (client) => writeWith(client, target, work, needs.install))),
      ),
    frozen,
    onCommit: commits.listen,
    check: () => findDamage({ read }),
    scrub: () => lock.run(() => withClient(pool, target, (client) => rewriteTables(client, target))),
    facts: () => factsOf({ read }, target),
    copyTo: undefined,
    onLost: (listener) => void losses.push(listener),
    async close() {
      await commits.stop()
      await pool.end()
    },
  }
}

function readUrl(text: string): Target {
  let url: URL
  try {
    url = new URL(text)
  } catch (error) {
    throw new UserError("config", "storage.url is not a URL; write it as postgres://USER@HOST/DATABASE.", {
      cause: error,
    })
  }
  const schema = url.searchParams.get("schema") ?? "reverie"
  if (!/^[a-z_][a-z0-9_]{0,50}$/.test(schema)) {
    throw new UserError(
      "config",
      `storage.url names the schema "${schema}"; use small letters, digits and _ only.`,
    )
  }
  url.searchParams.delete("schema")
  const shown = `postgres://${url.host || "localhost"}${url.pathname} (schema ${schema})`
  return { connectionString: url.href, schema, name: shown }
}

/** The graph of vectors is searched widely, and further where a condition leaves too few. */
const searchOptions = "-c hnsw.ef_search=200 -c hnsw.iterative_scan=strict_order"

function connectionSettings(target: Target): pg.ClientConfig {
  return {
    connectionString: target.connectionString,
    options: `-c search_path=${target.schema},public ${searchOptions}`,
    application_name: "reverie",
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    types: {
      getTypeParser: (oid, format) => (oid === int8Type ? Number : pg.types.getTypeParser(oid, format)),
    },
  }
}

function channelOf(target: Target): string {
  return `reverie_${target.schema}`
}

async function readWith<Row extends object>(
  on: pg.Pool | pg.ClientBase,
  query: Sql,
  target: Target,
): Promise<Row[]> {
  return (await send(on, query, target)).rows as Row[]
}

async function send(on: pg.Pool | pg.ClientBase, query: Sql, target: Target): Promise<pg.QueryResult> {
  try {
    return await on.query(postgresText(query))
  } catch (error) {
    throw connectionError(error, target.name)
  }
}

/** Several statements without values, in one journey to the server. */
async function sendScript(client: pg.ClientBase, text: string, target: Target): Promise<void> {
  try {
    await client.query(text)
  } catch (error) {
    throw connectionError(error, target.name)
  }
}

async function withClient<T>(
  pool: pg.Pool,
  target: Target,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  let client: pg.PoolClient
  try {
    client = await pool.connect()
  } catch (error) {
    throw connectionError(error, target.name)
  }
  let broken = true
  // Without a listener a connection that breaks between two statements would bring down the process.
  const ignore = () => undefined
  client.on("error", ignore)
  try {
    const result = await work(client)
    broken = false
    return result
  } finally {
    client.off("error", ignore)
    // After a failure the connection's state is not known for sure: it is thrown away, not reused.
    client.release(broken)
  }
}

/** Nobody waits for ever for another writer, and nobody keeps the others waiting for ever. */
const limits = "set local lock_timeout = '30s'; set local idle_in_transaction_session_timeout = '30s'"

function lockOf(name: string): string {
  return `select pg_advisory_xact_lock(hashtextextended('reverie.${name}', 0))`
}

/** Writers of all processes queue for one advisory lock, so that journal order is commit order. */
async function writeWith<T>(
  client: pg.ClientBase,
  target: Target,
  work: (transaction: Transaction) => Promise<T>,
  install?: string | undefined,
): Promise<T> {
  // Two statements in one journey; the schema's name was checked when the URL was read.
  await sendScript(client, `begin; ${limits}; ${lockOf(target.schema)}`, target)
  const result = await work({
    read: (query) => readWith(client, query, target),
    run: async (query) => (await send(client, query, target)).rowCount ?? 0,
    install,
  })
  await sendScript(client, `select pg_notify('${channelOf(target)}', ''); commit`, target)
  return result
}

async function readFrozen<T>(
  client: pg.ClientBase,
  target: Target,
  work: (reader: Reader) => Promise<T>,
): Promise<T> {
  await send(client, sql`begin isolation level repeatable read read only`, target)
  const result = await work({ read: (query) => readWith(client, query, target) })
  await send(client, sql`commit`, target)
  return result
}

async function migrate(needs: DatabaseNeeds & { url: string }, pool: pg.Pool, target: Target): Promise<void> {
  const pendingNow = async (on: pg.Pool | pg.ClientBase) =>
    pendingMigrations(needs.migrations, await schemaVersion(on, target), target.name)
  if ((await pendingNow(pool)).length === 0) return
  await withClient(pool, target, async (client) => {
    await writeWith(client, target, async (transaction) => {
      // Two schemas of one database must not make the extension at the same time either.
      await client.query(lockOf("setup of all schemas"))
      await client.query(`
        create schema if not exists ${target.schema};
        create extension if not exists vector with schema public;
        create table if not exists migrations
          (version integer primary key, name text not null, applied_at bigint not null)`)
      const script = async (text: string) => {
        await client.query(text)
      }
      await applyMigrations(
        { ...transaction, script },
        "postgres",
        await pendingNow(client),
        needs.clock.now(),
      )
    })
  })
}

/** The schema's version; 0 where there is none yet. */
async function schemaVersion(on: pg.Pool | pg.ClientBase, target: Target): Promise<number> {
  const table = `${target.schema}.migrations`
  const [found] = await readWith<{ there: string | null }>(
    on,
    sql`select to_regclass(${table}) as there`,
    target,
  )
  if (!found?.there) return 0
  const [row] = await readWith<{ version: number | null }>(
    on,
    sql`select max(version) as version from migrations`,
    target,
  )
  return row?.version ?? 0
}

/** Rewrites every table of ours; the server's own log still has the old rows until it is recycled. */
async function rewriteTables(client: pg.ClientBase, target: Target): Promise<boolean> {
  const { rows } = await send(
    client,
    sql`select quote_ident(c.relname) as name from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' order by c.relname`,
    target,
  )
  for (const { name } of rows) await send(client, plainSql(`vacuum full ${name}`), target)
  return true
}

/** What PostgreSQL can say about itself without superuser rights: indexes that are not valid. */
async function findDamage(on: Reader): Promise<string[]> {
  const rows = await on.read<{ name: string }>(sql`
    select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and not i.indisvalid`)
  return rows.map((row) => `index ${row.name} is not valid; rebuild it with REINDEX`)
}

async function factsOf(on: Reader, target: Target): Promise<Record<string, string>> {
  const [row] = await on.read<{ server: string; vector: string | null; bytes: number }>(sql`
    select current_setting('server_version') as server,
      (select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint from pg_class c
        where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r') as bytes,
      (select extversion from pg_extension where extname = 'vector') as vector`)
  return {
    engine: `PostgreSQL ${row?.server}`,
    pgvector: `pgvector ${row?.vector ?? "is missing"}`,
    place: target.name,
    size: bytesText(row?.bytes ?? 0),
  }
}
