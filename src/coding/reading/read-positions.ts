import { sql } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"
import type { Progress } from "../sessions/session-source.ts"

/** How far a file was read, as it is stored. */
export interface StoredProgress extends Progress {
  /** The location's stamp at that time; the same stamp means that nothing is new. */
  stamp: string
}

interface PositionRow {
  file: string
  position: number
  state: string
}

/** The progress of a reader in all its files, by file. */
export async function readPositions(
  on: Reader,
  install: string,
  reader: string,
): Promise<Map<string, StoredProgress>> {
  const rows = await on.read<PositionRow>(sql`
    select file, position, state from read_positions where install = ${install} and reader = ${reader}`)
  return new Map(rows.map((row) => [row.file, toProgress(row)]))
}

/** Saves the progress from one point to the next; false if another process moved on in the meantime. */
export async function advance(
  transaction: Transaction,
  where: ReadFile & { at: number },
  from: StoredProgress | undefined,
  to: StoredProgress,
): Promise<boolean> {
  const row = await positionOf(transaction, where)
  const now = row && toProgress(row)
  if (now?.position !== from?.position || stateText(now) !== stateText(from)) return false
  await putPosition(transaction, where, { position: to.position, state: stateText(to) })
  return true
}

/** A file of a reader. */
interface ReadFile {
  install: string
  reader: string
  file: string
}

/** How far one file was read, with the reader's state as it was stored. */
export async function positionOf(
  on: Reader,
  { install, reader, file }: ReadFile,
): Promise<{ position: number; state: string } | undefined> {
  const [row] = await on.read<{ position: number; state: string }>(sql`
    select position, state from read_positions
    where install = ${install} and reader = ${reader} and file = ${file}`)
  return row && { ...row, position: Number(row.position) }
}

/** Stores how far a file was read and replaces an earlier position. */
export async function putPosition(
  transaction: Transaction,
  { install, reader, file, at }: ReadFile & { at: number },
  { position, state }: { position: number; state: string },
): Promise<void> {
  await transaction.run(sql`
    insert into read_positions (install, reader, file, position, state, at)
    values (${install}, ${reader}, ${file}, ${position}, ${state}, ${at})
    on conflict (install, reader, file)
    do update set position = excluded.position, state = excluded.state, at = excluded.at`)
}

function stateText(progress: StoredProgress | undefined): string {
  return progress === undefined
    ? ""
    : JSON.stringify({ stamp: progress.stamp, state: progress.state ?? null })
}

function toProgress({ position, state }: Pick<PositionRow, "position" | "state">): StoredProgress {
  const { stamp, state: inner }: { stamp: string; state: unknown } = JSON.parse(state)
  return { position: Number(position), state: inner, stamp }
}
