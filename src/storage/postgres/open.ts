import pg from "pg"
import { messageOf, UserError } from "../../base/errors.ts"
import { createLock } from "../../base/lock.ts"
import { bytesText } from "../../base/text/text.ts"
import type { Database, DatabaseOptions } from "../database.ts"
import { applyMigrations, pendingMigrations } from "../migrate.ts"
import { plainSql, postgresText, type Sql, sql } from "../sql.ts"
import type { Reader, Transaction } from "../transaction.ts"
import { connectionError, isBrokenConnection } from "./errors.ts"
import { listenForCommits } from "./listen.ts"
import { createPostgresSearch } from "./search.ts"

/** A parsed URL, with our own `?schema=` removed. */
interface Target {
  connectionString: string
  schema: string
  /** Without user and password, for messages. */
  name: string
}

const maxConnections = 8

/** The type id of 64-bit integers. Our times and counts all fit into a JavaScript number. */
const int8Type = 20

/** Opens a PostgreSQL database with pgvector. All tables are in one schema. */
export async function openPostgres(needs: DatabaseOptions & { url: string }): Promise<Database> {
  const target = readUrl(needs.url)
  const settings = connectionSettings(target)
  const pool = new pg.Pool({ ...settings, max: maxConnections })
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
  const lossListeners: ((error: UserError) => void)[] = []
  /** Calls the listeners if the schema is gone. An unreachable server is not a loss. */
  const noticing = async <T>(result: Promise<T>): Promise<T> => {
    try {
      return await result
    } catch (error) {
      if (error instanceof UserError && error.kind === "lost")
        for (const listener of lossListeners) listener(error)
      throw error
    }
  }
  const read = <Row extends object>(query: Sql) =>
    noticing(retryBroken(() => readWith<Row>(pool, query, target)))
  const frozen = <T>(work: (reader: Reader) => Promise<T>) =>
    noticing(withClient(pool, target, beginReading, (client) => readTransaction(client, target, work)))

  return {
    kind: "postgres",
    location: target.name,
    search: createPostgresSearch({ read }),
    now: () => sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
    read,
    write: (work) =>
      noticing(
        lock.run(() =>
          withClient(pool, target, beginWriting(target), (client) =>
            writeWith(client, target, work, needs.install),
          ),
        ),
      ),
    readTransaction: frozen,
    onCommit: commits.listen,
    check: () => findDamage({ read }),
    vacuum: () => lock.run(() => withClient(pool, target, "", (client) => rewriteTables(client, target))),
    facts: () => factsOf({ read }, target),
    copyTo: undefined,
    onLost: (listener) => void lossListeners.push(listener),
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

/** Searches the vector graph widely, and further if a condition leaves too few hits. */
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

/** Sends one statement, or a script of several without values in one round trip. */
async function send(
  on: pg.Pool | pg.ClientBase,
  query: Sql | string,
  target: Target,
): Promise<pg.QueryResult> {
  try {
    return await on.query(typeof query === "string" ? { text: query } : postgresText(query))
  } catch (error) {
    throw connectionError(error, target.name)
  }
}

/**
 * A pooled connection can be dead without anyone knowing yet: the server restarted, or a firewall cut it. Then the
 * work is tried on the next one, until none of those is left; it must have changed nothing by then.
 */
async function retryBroken<T>(work: () => Promise<T>): Promise<T> {
  for (let retries = maxConnections; ; retries -= 1) {
    try {
      return await work()
    } catch (error) {
      if (retries === 0 || !isBrokenConnection(error)) throw error
    }
  }
}

/** Runs the work on one connection, after the opening statements, which may be sent again on another connection. */
async function withClient<T>(
  pool: pg.Pool,
  target: Target,
  opening: string,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await retryBroken(() => openClient(pool, target, opening))
  let broken = true
  try {
    const result = await work(client)
    broken = false
    return result
  } finally {
    releaseClient(client, broken)
  }
}

async function openClient(pool: pg.Pool, target: Target, opening: string): Promise<pg.PoolClient> {
  let client: pg.PoolClient
  try {
    client = await pool.connect()
  } catch (error) {
    throw connectionError(error, target.name)
  }
  client.on("error", ignoreError)
  try {
    if (opening !== "") await send(client, opening, target)
    return client
  } catch (error) {
    releaseClient(client, true)
    throw error
  }
}

/** Without a listener, a connection that breaks between two statements would end the process. */
function ignoreError(): void {}

/** After a failure the connection's state is unknown, so it is closed instead of reused. */
function releaseClient(client: pg.PoolClient, broken: boolean): void {
  client.off("error", ignoreError)
  client.release(broken)
}

/** Limits how long a writer waits for others, and how long it may keep them waiting. */
const limits = "set local lock_timeout = '30s'; set local idle_in_transaction_session_timeout = '30s'"

function lockOf(name: string): string {
  return `select pg_advisory_xact_lock(hashtextextended('reverie.${name}', 0))`
}

/** The opening of a write. The schema's name was checked when the URL was read. */
function beginWriting({ schema }: Target): string {
  return `begin; ${limits}; ${lockOf(schema)}`
}

const beginReading = "begin isolation level repeatable read read only"

/** Writers of all processes queue for one advisory lock, so that journal order is commit order. */
async function writeWith<T>(
  client: pg.ClientBase,
  target: Target,
  work: (transaction: Transaction) => Promise<T>,
  install?: string | undefined,
): Promise<T> {
  const result = await work({
    read: (query) => readWith(client, query, target),
    run: async (query) => (await send(client, query, target)).rowCount ?? 0,
    install,
  })
  await send(client, `select pg_notify('${channelOf(target)}', ''); commit`, target)
  return result
}

async function readTransaction<T>(
  client: pg.ClientBase,
  target: Target,
  work: (reader: Reader) => Promise<T>,
): Promise<T> {
  const result = await work({ read: (query) => readWith(client, query, target) })
  await send(client, sql`commit`, target)
  return result
}

async function migrate(
  needs: DatabaseOptions & { url: string },
  pool: pg.Pool,
  target: Target,
): Promise<void> {
  const pendingNow = async (on: pg.Pool | pg.ClientBase) =>
    pendingMigrations(needs.migrations, await schemaVersion(on, target), target.name)
  if ((await pendingNow(pool)).length === 0) return
  await withClient(pool, target, beginWriting(target), async (client) => {
    await writeWith(client, target, async (transaction) => {
      // Two schemas of one database must not create the extension at the same time either.
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

/** The schema's version; 0 for a new one. */
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

/** Rewrites all our tables. The server's write-ahead log keeps deleted rows until it is recycled. */
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

/** Finds invalid indexes, the only damage that is visible without superuser rights. */
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
