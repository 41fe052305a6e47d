import { sql } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"
import type { Progress } from "../sessions/session-source.ts"

/** How far a file was read, as it is kept. */
export interface KeptProgress extends Progress {
  /** How the file looked then; the same look means that nothing is new. */
  stamp: string
}

interface PositionRow {
  file: string
  position: number
  state: string
}

/** How far everything of a reader was read, by file. */
export async function readPositions(
  on: Reader,
  install: string,
  reader: string,
): Promise<Map<string, KeptProgress>> {
  const rows = await on.read<PositionRow>(sql`
    select file, position, state from read_positions where install = ${install} and reader = ${reader}`)
  return new Map(rows.map((row) => [row.file, toProgress(row)]))
}

/** Goes on from one point to the next; false if somebody else has gone on meanwhile. */
export async function advance(
  transaction: Transaction,
  { install, reader, file, at }: { install: string; reader: string; file: string; at: number },
  from: KeptProgress | undefined,
  to: KeptProgress,
): Promise<boolean> {
  const row = await positionOf(transaction, { install, reader, file })
  const now = row && toProgress(row)
  if (now?.position !== from?.position || stateText(now) !== stateText(from)) return false
  await putPosition(
    transaction,
    { install, reader, file, at },
    { position: to.position, state: stateText(to) },
  )
  return true
}

/** Which file of which reader is meant. */
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

/** Stores how far a file was read, whatever was stored of it before. */
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

function stateText(progress: KeptProgress | undefined): string {
  return progress === undefined
    ? ""
    : JSON.stringify({ stamp: progress.stamp, state: progress.state ?? null })
}

function toProgress({ position, state }: Pick<PositionRow, "position" | "state">): KeptProgress {
  const { stamp, state: inner }: { stamp: string; state: unknown } = JSON.parse(state)
  return { position: Number(position), state: inner, stamp }
}
