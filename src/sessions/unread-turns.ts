import { hostname } from "node:os"
import { UserError } from "../base/errors.ts"
import { isAlive, processStartTime } from "../base/processes.ts"
import type { Core } from "../storage/core.ts"
import type { Database } from "../storage/database.ts"
import { sql } from "../storage/sql.ts"
import type { Reader, Transaction } from "../storage/transaction.ts"
import type { Turn } from "./turn.ts"
import { turnsOf } from "./turns.ts"

/** A session as its readers see it. */
export interface UnreadSession {
  id: string
  project: string | null
  folder: string | null
  /** How many of its turns were read; the next to read has this position. */
  read: number
  /** The current claim, or the result of the last reading, as JSON. */
  extraction: string | null
  /** The first turn that rules have read and a model should still read; null for none. */
  modelFrom: number | null
}

/** What to read: turns that nobody has read, or those that a model should still read. */
export type Reading = "unread" | "held"

interface SessionClaim {
  claim: string
  pid: number
  host: string
  /** When that process began: process ids are reused. */
  began?: string | undefined
  until: number
}

/** How long a claim lasts. The claim of a process that died on this machine ends at once. */
const claimMs = 5 * 60_000

/** Claims a session for one reading, unless all of it is read or another live process has claimed it. */
export function claimSession(
  { db, clock }: Pick<Core, "db" | "clock">,
  id: string,
  claim: string,
  reading: Reading,
): Promise<UnreadSession | "busy" | "read"> {
  return db.write(async (transaction) => {
    const session = await requireUnread(transaction, id)
    const isLeft = reading === "held" ? session.modelFrom !== null : await hasUnread(transaction, session)
    if (!isLeft) return "read"
    const now = clock.now()
    if (isClaimed(session.extraction, now)) return "busy"
    const { pid } = process
    const claimed: SessionClaim = {
      claim,
      pid,
      host: hostname(),
      began: processStartTime(pid),
      until: now + claimMs,
    }
    await transaction.run(sql`update sessions set extraction = ${JSON.stringify(claimed)} where id = ${id}`)
    return session
  })
}

async function hasUnread(on: Reader, { id, read }: UnreadSession): Promise<boolean> {
  return (await turnsOf(on, id, { from: read, limit: 1 })).length > 0
}

function isClaimed(extraction: string | null, now: number): boolean {
  const { claim, pid, host, began, until = 0 } = claimIn(extraction)
  if (claim === undefined || until <= now) return false
  if (host !== hostname() || pid === undefined) return true
  return isAlive(pid) && processStartTime(pid) === began
}

function claimIn(extraction: string | null): Partial<SessionClaim> {
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

/** Gives up a claim. */
export async function releaseSession(db: Database, id: string, claim: string): Promise<void> {
  await db.write(async (transaction) => {
    const { extraction } = await requireUnread(transaction, id)
    if (claimIn(extraction).claim === claim)
      await transaction.run(sql`update sessions set extraction = null where id = ${id}`)
  })
}

/** Records how far a session is read, from where on a model should still read it, and how it was read. */
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
  return row
}

/** Turns before the new ones that are shown for context only. */
const contextTurns = 4
/** The most turns and characters of one reading. */
const mostTurns = 80
const mostCharacters = 30_000
/** A longer turn counts as this many characters: its middle is not shown. */
const longestTurn = 4000

/** Consecutive turns of a session. */
export interface TurnsToRead {
  /** The first position to read; the turns before it are only context. */
  from: number
  /** The last position; -1 where there are none. */
  to: number
  turns: Turn[]
  /** The last turns of the user and of tools before these. */
  earlier(): Promise<Turn[]>
}

/** At most this many earlier turns. */
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
