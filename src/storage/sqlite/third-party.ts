import { existsSync } from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { loadSqlite } from "./binding.ts"

/** Reads another program's SQLite file, with its log, without creating or changing any file. */
export async function readThirdPartySqlite<T>(file: string, work: (db: DatabaseSync) => T): Promise<T> {
  const binding = await loadSqlite()
  const connect = () => {
    if (existsSync(`${file}-wal`)) return new binding(file, { readOnly: true })
    const url = pathToFileURL(file)
    url.searchParams.set("immutable", "1")
    return new binding(url, { readOnly: true })
  }
  const connection = connect()
  try {
    connection.exec("pragma busy_timeout = 50")
    return work(connection)
  } finally {
    connection.close()
  }
}
