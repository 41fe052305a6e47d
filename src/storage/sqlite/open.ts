import { resolve } from "node:path"
import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite"
import { sleep } from "../../base/clock.ts"
import { UserError } from "../../base/errors.ts"
import { withFileLock } from "../../base/files/file-lock.ts"
import { createLock } from "../../base/lock.ts"
import { type Loop, startLoop } from "../../base/loop.ts"
import type { Database, DatabaseOptions } from "../database.ts"
import { applyMigrations, type MigrationRun, pendingMigrations } from "../migrate.ts"
import { type Sql, type SqlValue, sql, sqliteText } from "../sql.ts"
import type { Reader, Transaction } from "../transaction.ts"
import { loadSqlite } from "./binding.ts"
import { applicationId, unmarkCopy } from "./copy-mark.ts"
import { truncateLog, vacuumFile } from "./erase.ts"
import { isBusy, notOurDatabase, notOurDatabaseError, storageError } from "./errors.ts"
import {
  checkFile,
  copyDatabase,
  factsOf,
  isNew,
  makePrivateFile,
  refuseOrphanedLog,
  type SqliteFile,
  sqliteFile,
} from "./file.ts"
import { guardFiles, identityOf, moveLogAside } from "./file-guard.ts"
import { createSqliteSearch } from "./search.ts"

interface SqliteOptions extends DatabaseOptions {
  file: string
  beforeMigration?: (copyTo: (file: string) => Promise<void>, version: number) => Promise<void>
  /** Called before a new file is created or an empty one used; it throws if a database should exist. */
  beforeNew?: (file: string) => Promise<void>
}

/** How long a writer waits for the writers of other processes before it gives up. */
const longestWaitMs = 30_000

/** The interval of the check for other processes' commits, which takes microseconds. */
const watchMs = 100

/** Opens the embedded database in WAL mode, with one connection for writing and one for reading. */
export async function openSqlite(needs: SqliteOptions): Promise<Database> {
  const binding = await loadSqlite()
  const database = sqliteFile(binding, resolve(needs.file))
  try {
    return await openFile(needs, database)
  } catch (error) {
    throw storageError(error, database.file)
  }
}

/** How many bytes of the file are memory-mapped, which makes reads a quarter faster. */
const mapped = 2 ** 29

async function openFile(needs: SqliteOptions, database: SqliteFile): Promise<Database> {
  const { file, connect, head } = database
  if (isNew(file)) {
    await needs.beforeNew?.(file)
    refuseOrphanedLog(file)
  }
  makePrivateFile(file)
  const opened = identityOf(file)
  await adoptCopy(needs, database)
  const writer = await openWriter(needs, database)
  const { read, run } = statementsOf(writer, file)
  await migrate(needs, database, writer, { read, run, script: async (text) => writer.exec(text) })
  const reader = connect()
  reader.exec(`pragma query_only = 1; pragma busy_timeout = 1000; pragma mmap_size = ${mapped}`)
  const outside = statementsOf(reader, file)
  const lock = createLock()
  const guard = guardFiles({ file, opened, head })
  const commits = watchCommits(needs, () => {
    guard.verify()
    return dataVersion(reader)
  })

  async function write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const result = await lock.run(() => {
      guard.verify()
      return inTransaction(needs, writer, file, () => work({ read, run, install: needs.install }))
    })
    // A commit to a file that was deleted or replaced meanwhile counts as failed.
    guard.verify()
    commits.announce()
    return result
  }

  /** Reads fail too once the file is lost. */
  const kept: Reader = {
    read: async (query) => {
      guard.requireNotLost()
      return outside.read(query)
    },
  }
  /** For work that opens the file again, which must still be the same. */
  const again = async <T>(work: () => Promise<T>): Promise<T> => {
    guard.verify()
    return work()
  }

  return {
    kind: "sqlite",
    location: file,
    search: createSqliteSearch({ read: kept.read }),
    now: () => sql`${needs.clock.now()}`,
    read: kept.read,
    write,
    readTransaction: (work) => again(() => readTransaction(database, work)),
    onCommit: commits.listen,
    check: () => again(() => checkFile(connect)),
    vacuum: () => lock.run(() => again(() => vacuum(needs, writer, file))),
    facts: async () => factsOf(reader, file),
    copyTo: (target) => again(() => copyDatabase(database, target)),
    onLost: guard.onLost,
    async close() {
      commits.stop()
      await lock.run(async () => {
        reader.close()
        if (!guard.isLost()) attemptQuietly(() => writer.exec("pragma optimize"))
        writer.close()
      })
    },
  }
}

/** Turns a copy that the user put here into the database, and moves the log of the replaced database away. */
async function adoptCopy(needs: SqliteOptions, { file, connect, head }: SqliteFile): Promise<void> {
  if (head() !== "copy") return
  await withFileLock(needs, file, async () => {
    if (head() !== "copy") return
    for (const ending of ["-wal", "-shm"]) moveLogAside(file, ending)
    const connection = connect()
    try {
      unmarkCopy(connection)
    } finally {
      connection.close()
    }
  })
}

async function openWriter(needs: SqliteOptions, { file, connect }: SqliteFile): Promise<DatabaseSync> {
  const connection = connect()
  // Waiting is done by retries, so that the process is not blocked.
  connection.exec("pragma busy_timeout = 0")
  await untilFree(needs, file, () => connection.exec("pragma journal_mode = wal"))
  return connection
}

/** Retries something that fails while another process writes, without blocking this process. */
async function untilFree<T>(needs: DatabaseOptions, file: string, work: () => T): Promise<T> {
  const deadline = needs.clock.now() + longestWaitMs
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || needs.clock.now() >= deadline) throw storageError(error, file)
      await sleep(needs.clock, 2 + needs.random.next() * 10)
    }
  }
}

async function inTransaction<T>(
  needs: DatabaseOptions,
  connection: DatabaseSync,
  file: string,
  work: () => Promise<T>,
): Promise<T> {
  await untilFree(needs, file, () => connection.exec("begin immediate"))
  try {
    const result = await work()
    connection.exec("commit")
    return result
  } catch (error) {
    rollBack(connection)
    throw storageError(error, file)
  }
}

/** How long to wait for readers of the old file. */
const readersMs = 5000

async function vacuum(needs: DatabaseOptions, connection: DatabaseSync, file: string): Promise<boolean> {
  await untilFree(needs, file, () => vacuumFile(connection))
  const deadline = needs.clock.now() + readersMs
  while (!truncateLog(connection)) {
    if (needs.clock.now() >= deadline) return false
    await sleep(needs.clock, 20)
  }
  return true
}

/** Rolls back; some failures, such as a full disk, have done so already. */
function rollBack(connection: DatabaseSync): void {
  attemptQuietly(() => connection.exec("rollback"))
}

/** Runs something that may fail without consequences. */
function attemptQuietly(work: () => void): void {
  try {
    work()
  } catch {
    // Another process does it, or there was nothing to do.
  }
}

/** A prepared statement and the function that reads its rows. */
interface Prepared {
  statement: StatementSync
  rows(values: SqlValue[]): object[]
}

/** Runs statements on one connection; each text is prepared once. */
function statementsOf(connection: DatabaseSync, file: string) {
  const prepared = new Map<string, Prepared>()
  const prepare = (text: string) => {
    const known = prepared.get(text)
    if (known) return known
    const statement = connection.prepare(text)
    const fresh = { statement, rows: rowReader(statement) }
    if (prepared.size < 500) prepared.set(text, fresh)
    return fresh
  }
  const attempt = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw storageError(error, file)
    }
  }
  return {
    read: async <Row extends object>(query: Sql) =>
      attempt(() => {
        const { text, values } = sqliteText(query)
        return prepare(text).rows(values) as Row[]
      }),
    run: async (query: Sql) =>
      attempt(() => {
        const { text, values } = sqliteText(query)
        return Number(prepare(text).statement.run(...values).changes)
      }),
  }
}

/** Reads rows as arrays if the binding supports it, and builds the objects here: a quarter faster for many rows. */
function rowReader(statement: StatementSync): Prepared["rows"] {
  if (!("setReturnArrays" in statement && "columns" in statement)) {
    return (values) => (statement as StatementSync).all(...values)
  }
  const names = statement.columns().map(({ name }) => name)
  statement.setReturnArrays(true)
  return (values) => {
    // setReturnArrays changes the type of the rows.
    const rows = statement.all(...values) as unknown as SQLOutputValue[][]
    return rows.map((row) => {
      const named: Record<string, SQLOutputValue> = {}
      for (let index = 0; index < names.length; index += 1) named[names[index] ?? ""] = row[index] ?? null
      return named
    })
  }
}

async function migrate(needs: SqliteOptions, database: SqliteFile, writer: DatabaseSync, run: MigrationRun) {
  const { file } = database
  const found = await untilFree(needs, file, () => settledVersion(writer, file))
  if (pendingMigrations(needs.migrations, found, file).length === 0) return
  if (found > 0) await needs.beforeMigration?.((target) => copyDatabase(database, target), found)
  await inTransaction(needs, writer, file, async () => {
    const version = schemaVersion(writer, file)
    if (version === 0) {
      writer.exec(`
        pragma application_id = ${applicationId};
        create table migrations (version integer primary key, name text not null, applied_at integer not null) strict;
      `)
    }
    const pending = pendingMigrations(needs.migrations, version, file)
    await applyMigrations(run, "sqlite", pending, needs.clock.now())
  })
}

/** The schema's version; 0 for an empty file. Throws if the file is not ours. */
function schemaVersion(connection: DatabaseSync, file: string): number {
  const id = numberOf(connection, "pragma application_id", "application_id")
  if (id === applicationId) {
    return numberOf(connection, "select max(version) as version from migrations", "version")
  }
  const tables = numberOf(connection, "select count(*) as tables from sqlite_schema", "tables")
  if (id === 0 && tables === 0) return 0
  throw notOurDatabaseError(file, notOurDatabase)
}

/** The version, read in a transaction because another process may be creating the schema. */
function settledVersion(connection: DatabaseSync, file: string): number {
  connection.exec("begin")
  try {
    return schemaVersion(connection, file)
  } finally {
    rollBack(connection)
  }
}

function numberOf(connection: DatabaseSync, text: string, column: string): number {
  return Number(connection.prepare(text).get()?.[column] ?? 0)
}

function dataVersion(connection: DatabaseSync): number {
  return numberOf(connection, "pragma data_version", "data_version")
}

/** Calls listeners after this process's commits immediately, and after others' by polling a counter. */
function watchCommits(needs: DatabaseOptions, version: () => number) {
  const listeners = new Set<() => void>()
  let loop: Loop | undefined
  let seen = 0
  const announce = () => {
    for (const listener of listeners) listener()
  }
  const work = async () => {
    try {
      const now = version()
      if (now !== seen) announce()
      seen = now
    } catch (error) {
      if (!(error instanceof UserError && error.kind === "lost")) throw error
      stop()
    }
    return watchMs
  }
  const stop = () => {
    void loop?.stop()
    loop = undefined
  }
  const listen = (listener: () => void) => {
    listeners.add(listener)
    if (loop === undefined) {
      seen = version()
      const problem = "Looking for commits failed; trying again"
      loop = startLoop(needs, { work, firstMs: watchMs, problem, retryMs: watchMs })
    }
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) stop()
    }
  }
  return { announce, listen, stop }
}

/** Reads on a separate connection, so that a long export does not affect other readers. */
async function readTransaction<T>(
  { file, connect }: SqliteFile,
  work: (reader: Reader) => Promise<T>,
): Promise<T> {
  const connection = connect()
  try {
    connection.exec("pragma query_only = 1; pragma busy_timeout = 5000; begin")
    return await work({ read: statementsOf(connection, file).read })
  } finally {
    connection.close()
  }
}
