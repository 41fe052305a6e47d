import { hostname } from "node:os"
import type { Clock } from "../base/clock.ts"
import { UserError } from "../base/errors.ts"
import { isAlive, startOf } from "../base/processes.ts"
import type { Database } from "../storage/database.ts"
import { sql } from "../storage/sql.ts"
import type { Reader, Transaction } from "../storage/transaction.ts"
import type { Turn } from "./turn.ts"
import { turnsOf } from "./turns.ts"

/** A session, as far as reading it concerns. */
export interface UnreadSession {
  id: string
  project: string | null
  folder: string | null
  /** How many of its turns were read; the next to read has this position. */
  read: number
  /** Who reads it, or what the last reading was, as JSON. */
  extraction: string | null
  /** From which turn on a model should still read what rules have read; null for nowhere. */
  modelFrom: number | null
}

/** What of a session is to be read: what nobody read yet, or what a model should still read. */
export type Reading = "unread" | "held"

/** Who reads a session at present. */
interface Claimed {
  claim: string
  pid: number
  host: string
  /** When that process began: numbers are given again. */
  began?: string | undefined
  until: number
}

/** How long a reading may keep others away. Whoever was killed is known by its process and does not count. */
const claimMs = 5 * 60_000

/** Takes the session for one reading, unless all of it is read or somebody else who lives is at it. */
export function claimSession(
  { db, clock }: { db: Database; clock: Clock },
  id: string,
  claim: string,
  reading: Reading,
): Promise<UnreadSession | "busy" | "read"> {
  return db.write(async (transaction) => {
    const session = await requireUnread(transaction, id)
    const isLeft = reading === "held" ? session.modelFrom !== null : await hasUnread(transaction, session)
    if (!isLeft) return "read"
    const now = clock.now()
    if (isHeld(session.extraction, now)) return "busy"
    const { pid } = process
    const held: Claimed = { claim, pid, host: hostname(), began: startOf(pid), until: now + claimMs }
    await transaction.run(sql`update sessions set extraction = ${JSON.stringify(held)} where id = ${id}`)
    return session
  })
}

async function hasUnread(on: Reader, { id, read }: UnreadSession): Promise<boolean> {
  return (await turnsOf(on, id, { from: read, limit: 1 })).length > 0
}

function isHeld(extraction: string | null, now: number): boolean {
  const { claim, pid, host, began, until = 0 } = claimIn(extraction)
  if (claim === undefined || until <= now) return false
  if (host !== hostname() || pid === undefined) return true
  return isAlive(pid) && startOf(pid) === began
}

function claimIn(extraction: string | null): Partial<Claimed> {
  return extraction === null ? {} : JSON.parse(extraction)
}

/** Whether a session is still as it was claimed. */
export async function isStillClaimed(
  on: Reader,
  { id, read, modelFrom }: UnreadSession,
  claim: string,
): Promise<boolean> {
  const now = await requireUnread(on, id)
  return now.read === read && now.modelFrom === modelFrom && claimIn(now.extraction).claim === claim
}

/** Lets others read it. */
export async function releaseSession(db: Database, id: string, claim: string): Promise<void> {
  await db.write(async (transaction) => {
    const { extraction } = await requireUnread(transaction, id)
    if (claimIn(extraction).claim === claim)
      await transaction.run(sql`update sessions set extraction = null where id = ${id}`)
  })
}

/** Notes how far a session is read now, from where on a model should still read it, and how it was read. */
export async function markRead(
  transaction: Transaction,
  { id }: UnreadSession,
  read: { turns: number; modelFrom: number | null; at: number; how: object },
): Promise<void> {
  await transaction.run(sql`
    update sessions set extracted_turns = ${read.turns}, model_from = ${read.modelFrom}, extracted_at = ${read.at},
      extraction = ${JSON.stringify(read.how)} where id = ${id}`)
}

/** A session by its whole id. */
export async function requireUnread(on: Reader, id: string): Promise<UnreadSession> {
  const [row] = await on.read<UnreadSession>(sql`
    select id, project, folder, extracted_turns as read, extraction, model_from as "modelFrom"
    from sessions where id = ${id}`)
  if (row === undefined) throw new UserError("not-found", `There is no session ${id}.`)
  return { ...row, read: Number(row.read), modelFrom: row.modelFrom === null ? null : Number(row.modelFrom) }
}

/** Turns before the new ones that are shown for context only. */
const contextTurns = 4
/** One reading takes at most so many turns and characters. */
const mostTurns = 80
const mostCharacters = 30_000
/** No turn counts for more: its middle is not shown. */
const longestTurn = 4000

/** Some turns of a session that follow each other. */
export interface TurnsToRead {
  /** The first position to read; the turns before it are only context. */
  from: number
  /** The last position; -1 where there are none. */
  to: number
  turns: Turn[]
  /** What tools and the person said before these turns, the last of it. */
  earlier(): Promise<Turn[]>
}

/** How far back it is looked for what a claim rests on. */
const mostEarlier = 400

/** The next turns to read from a position on, with a few before them. */
export async function readTurns(
  on: Reader,
  id: string,
  { from, to }: { from: number; to?: number | undefined },
): Promise<TurnsToRead> {
  const found = await turnsOf(on, id, { from: from - contextTurns, to, limit: contextTurns + mostTurns })
  const turns: Turn[] = []
  let size = 0
  for (const turn of found) {
    size += Math.min(turn.text.length, longestTurn)
    if (size > mostCharacters && turns.some(({ position }) => position >= from)) break
    turns.push(turn)
  }
  const before = { to: turns[0]?.position ?? 0, roles: ["user", "tool"] as const, newest: true }
  return {
    from,
    to: turns.at(-1)?.position ?? -1,
    turns,
    earlier: () => turnsOf(on, id, { ...before, limit: mostEarlier }),
  }
}
