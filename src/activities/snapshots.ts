import { createWriteStream } from "node:fs"
import { copyFile, readdir, rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { finished } from "node:stream/promises"
import { createGzip } from "node:zlib"
import { type Clock, isoTime, parseTime } from "../base/clock.ts"
import { codeOf, UserError } from "../base/errors.ts"
import { makePrivateFolder } from "../base/files.ts"
import { exportJson } from "../memory/export.ts"
import type { Database } from "../storage/database.ts"
import { appendEntry, type By } from "../storage/journal.ts"

/** A copy of the whole memory on disk: SQLite's own file, or a packed lossless export of PostgreSQL. */
export interface Snapshot {
  name: string
  file: string
  at: number
  bytes: number
}

interface SnapshotNeeds {
  db: Database
  clock: Clock
  directory: string
}

const pattern = /^reverie-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z\.(db|json\.gz)$/

/** The file for a snapshot made now; its name is its time. */
export function snapshotFile(directory: string, at: number, ending: "db" | "json.gz"): string {
  return join(directory, `reverie-${isoTime(at).replaceAll(/[-:.]/g, "")}.${ending}`)
}

/** Writes a snapshot, notes it in the journal, and removes the oldest beyond `kept`. */
export async function takeSnapshot(needs: SnapshotNeeds, kept: number, by: By): Promise<Snapshot> {
  const at = needs.clock.now()
  const file = snapshotFile(needs.directory, at, needs.db.copyTo ? "db" : "json.gz")
  makePrivateFolder(needs.directory)
  if (needs.db.copyTo) await needs.db.copyTo(file)
  else await packExport(needs.db, file)
  const { size } = await stat(file)
  const name = file.slice(needs.directory.length + 1)
  await needs.db.write(async (transaction) => {
    await appendEntry(transaction, at, {
      ...by,
      kind: "snapshot.taken",
      subject: name,
      data: { bytes: size },
    })
  })
  const all = await listSnapshots(needs.directory)
  await Promise.all(all.slice(kept).map((old) => rm(old.file, { force: true })))
  return { name, file, at, bytes: size }
}

/** Whole or not there at all: written beside its place, then renamed. */
async function packExport(db: Database, file: string): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`
  const gzip = createGzip()
  const target = createWriteStream(temporary, { mode: 0o600 })
  gzip.pipe(target)
  try {
    await exportJson(
      db,
      (text) => new Promise((resolve) => (gzip.write(text) ? resolve() : gzip.once("drain", resolve))),
    )
    gzip.end()
    await finished(target)
    await rename(temporary, file)
  } catch (error) {
    target.destroy()
    await rm(temporary, { force: true })
    throw error
  }
}

/** The snapshots there are, newest first. */
export async function listSnapshots(directory: string): Promise<Snapshot[]> {
  const names = await readdir(directory).catch(() => [])
  const found = names.flatMap((name) => {
    if (!pattern.test(name)) return []
    const at = parseTime(name.replace(pattern, "$1-$2-$3T$4:$5:$6.$7Z")) ?? 0
    return [{ name, file: join(directory, name), at }]
  })
  const sized = await Promise.all(found.map(async (one) => ({ ...one, bytes: (await stat(one.file)).size })))
  return sized.sort((a, b) => b.at - a.at)
}

/**
 * Puts a snapshot back in place of the embedded database. The database it replaces is kept beside it. The caller
 * makes sure that nobody has it open.
 */
export async function restoreSnapshot(snapshot: Snapshot, databaseFile: string, at: number): Promise<string> {
  if (!snapshot.name.endsWith(".db")) {
    throw new UserError(
      "usage",
      `${snapshot.name} is a packed export; unpack it with gunzip and give it to \`reverie memory import\`.`,
    )
  }
  const aside = `${databaseFile}.before-restore-${isoTime(at).replaceAll(/[-:.]/g, "")}`
  const incoming = `${databaseFile}.${process.pid}.tmp`
  await copyFile(snapshot.file, incoming)
  for (const ending of ["", "-wal", "-shm"])
    await moveIfThere(`${databaseFile}${ending}`, `${aside}${ending}`)
  await rename(incoming, databaseFile)
  return aside
}

async function moveIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error
  }
}
