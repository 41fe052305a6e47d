import { createWriteStream } from "node:fs"
import { copyFile, link, lstat, readdir, rename, rm, stat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGzip } from "node:zlib"
import { isoTime, parseTime } from "../base/clock.ts"
import { codeOf, UserError } from "../base/errors.ts"
import { makePrivateFolder, replaceFile } from "../base/files/files.ts"
import { streamText } from "../base/net/stream-text.ts"
import type { Paths } from "../config/paths.ts"
import { purgedKind } from "../memory/history/undo.ts"
import { countMemories } from "../memory/model/store/browse.ts"
import { exportJson } from "../memory/transfer/export.ts"
import { memoriesIn } from "../memory/transfer/snapshot-count.ts"
import type { Core } from "../storage/core.ts"
import type { Database } from "../storage/database.ts"
import { appendEntries, appendEntry, type By, lastEntry, readJournal } from "../storage/journal.ts"
import { damageOf, truncateLogOf } from "../storage/sqlite/file.ts"

/** A copy of the whole memory: SQLite's own file, or a compressed lossless export of PostgreSQL. */
export interface Snapshot {
  name: string
  file: string
  at: number
  bytes: number
}

interface SnapshotStore extends Pick<Core, "db" | "clock"> {
  directory: string
}

const pattern = /^reverie-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z\.(db|json\.gz)$/

/** The path of a snapshot; its name is its time. */
export function snapshotFile(directory: string, at: number, ending: "db" | "json.gz"): string {
  return join(directory, `reverie-${isoTime(at).replaceAll(/[-:.]/g, "")}.${ending}`)
}

/** Takes a snapshot with its journal entry, and deletes the oldest beyond `kept`. */
export async function takeSnapshot(needs: SnapshotStore, kept: number, by: By): Promise<Snapshot> {
  const at = needs.clock.now()
  const file = snapshotFile(needs.directory, at, needs.db.copyTo ? "db" : "json.gz")
  makePrivateFolder(needs.directory)
  await copyWhole(needs.db, file)
  const { size } = await stat(file)
  const name = file.slice(needs.directory.length + 1)
  await needs.db.write(async (transaction) => {
    await appendEntry(transaction, {
      at,
      ...by,
      kind: "snapshot.taken",
      subject: name,
      data: { bytes: size },
    })
  })
  await rotate(needs, kept)
  return { name, file, at, bytes: size }
}

/**
 * Deletes the oldest snapshots beyond `kept`, but never the last good one: while the store has fewer memories than older
 * snapshots, the newest and the largest of those stay, so that a loss does not rotate out its own backup. A snapshot
 * from before a purge is not protected, because it may contain what was purged.
 */
async function rotate({ db, directory }: SnapshotStore, kept: number): Promise<void> {
  const all = await listSnapshots(directory)
  const old = all.slice(kept)
  if (old.length === 0) return
  const now = (await countMemories(db)).active
  const [purged] = await readJournal(db, { kind: purgedKind, limit: 1, newestFirst: true })
  const counted = await Promise.all(all.map(async (one) => ({ one, memories: await memoriesIn(one.file) })))
  const larger = counted.filter(({ one, memories = 0 }) => memories > now && one.at > (purged?.at ?? 0))
  const most = Math.max(...larger.map(({ memories = 0 }) => memories))
  const good = new Set([larger[0]?.one, larger.find(({ memories }) => memories === most)?.one])
  await Promise.all(old.filter((one) => !good.has(one)).map((one) => rm(one.file, { force: true })))
}

/** Copies the memory. Repeats it if something was purged meanwhile, because the copy may still contain it. */
async function copyWhole(db: Database, file: string): Promise<void> {
  for (;;) {
    const before = await lastEntry(db)
    if (db.copyTo) await db.copyTo(file)
    else await packExport(db, file)
    const [purged] = await readJournal(db, { after: before, kind: purgedKind, limit: 1 })
    if (purged === undefined) return
    await rm(file, { force: true })
  }
}

async function packExport(db: Database, file: string): Promise<void> {
  await replaceFile(file, (temporary) =>
    pipeline(
      Readable.fromWeb(streamText((write) => exportJson({ db }, write)) as never),
      createGzip(),
      createWriteStream(temporary, { mode: 0o600 }),
    ),
  )
}

/** All snapshots, newest first. */
export async function listSnapshots(directory: string): Promise<Snapshot[]> {
  const names = await readdir(directory).catch(() => [])
  const found = names.flatMap((name) => {
    if (!pattern.test(name)) return []
    const at = parseTime(name.replace(pattern, "$1-$2-$3T$4:$5:$6.$7Z")) ?? 0
    return [{ name, file: join(directory, name), at }]
  })
  const sized = await Promise.all(
    found.map(async (one) => {
      // A file may vanish meanwhile; anything that is not a file is ignored.
      const there = await lstat(one.file).catch(() => undefined)
      return there?.isFile() ? [{ ...one, bytes: there.size }] : []
    }),
  )
  return sized.flat().sort((a, b) => b.at - a.at)
}

/**
 * Restores a snapshot over an SQLite database. Returns where the replaced file is kept. The caller makes sure that no
 * daemon has it open. If the process is killed, the database is the old one or the new one, never missing.
 */
export async function restoreSnapshot(snapshot: Snapshot, databaseFile: string, at: number): Promise<string> {
  if (!snapshot.name.endsWith(".db")) {
    const advice = `give ${snapshot.file} to \`reverie memory import\`.`
    throw new UserError("usage", `${snapshot.name} is a packed export; ${advice}`)
  }
  const aside = `${databaseFile}.before-restore-${isoTime(at).replaceAll(/[-:.]/g, "")}`
  makePrivateFolder(dirname(databaseFile))
  await replaceFile(databaseFile, async (temporary) => {
    await copyFile(snapshot.file, temporary)
    await requireUndamaged(temporary, snapshot.name)
    await truncateLogOf(databaseFile)
    await ignoreMissing(() => moveAside(databaseFile, aside))
    // The old log has changes that are not in the old file yet, so it moves with that file before the new one comes.
    for (const ending of ["-wal", "-shm"]) {
      await ignoreMissing(() => rename(`${databaseFile}${ending}`, `${aside}${ending}`))
    }
  })
  return aside
}

/** Refuses a damaged snapshot. */
async function requireUndamaged(copy: string, name: string): Promise<void> {
  const problem = await damageOf(copy)
  if (problem === undefined) return
  const advice = "nothing was changed. Choose another one from `reverie snapshot list`."
  throw new UserError("storage", `The snapshot ${name} is damaged (${problem}); ${advice}`)
}

/** Links the file under a second name, so that it is never missing. Anything else, such as a folder, is moved. */
async function moveAside(databaseFile: string, aside: string): Promise<void> {
  if ((await stat(databaseFile)).isFile()) await link(databaseFile, aside)
  else await rename(databaseFile, aside)
}

/** All files with copies of the whole memory: snapshots, and files that a restore replaced. */
export async function listCopies({
  snapshotDir,
  databaseFile,
}: Pick<Paths, "snapshotDir" | "databaseFile">): Promise<string[]> {
  const snapshots = (await listSnapshots(snapshotDir)).map(({ file }) => file)
  const beside = await readdir(dirname(databaseFile)).catch(() => [])
  const replaced = beside.filter((name) => name.startsWith(`${basename(databaseFile)}.before-restore-`))
  return [...snapshots, ...replaced.sort().map((name) => join(dirname(databaseFile), name))]
}

/** Deletes such files, with journal entries. */
export async function removeCopies(
  { db, clock }: Pick<SnapshotStore, "db" | "clock">,
  files: readonly string[],
  by: By,
): Promise<void> {
  await Promise.all(files.map((file) => rm(file, { force: true })))
  const entry = { ...by, at: clock.now(), kind: "snapshot.removed" as const }
  await db.write((transaction) =>
    appendEntries(
      transaction,
      files.map((file) => ({ ...entry, subject: basename(file) })),
    ),
  )
}

async function ignoreMissing(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error
  }
}
