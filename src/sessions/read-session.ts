import { createHash } from "node:crypto"
import { yieldToEventLoop } from "../base/clock.ts"
import { encodeBase32, newId } from "../base/random.ts"
import type { Core } from "../storage/core.ts"
import { appendEntry, type By } from "../storage/journal.ts"
import type { Transaction } from "../storage/transaction.ts"
import {
  claimSession,
  isStillClaimed,
  markRead,
  type Reading,
  readTurns,
  releaseSession,
  type TurnsToRead,
  type UnreadSession,
} from "./unread-turns.ts"

/** Aborting the signal ends the reading after the current part. */
export type ReadContext = Pick<Core, "db" | "clock" | "random"> & { signal?: AbortSignal | undefined }

/** Reads the unread turns of sessions. */
export interface SessionReader<Result> {
  /** Whether a model may be asked now. */
  hasModel(): Promise<boolean>
  /** Reads one part, and writes its result and its mark in one transaction; or returns why it wrote nothing. */
  read(part: UnreadTurns): Promise<Result | "busy" | "waiting">
}

/** A part of a session, claimed by one reader. */
interface UnreadTurns extends TurnsToRead {
  session: UnreadSession
  reading: Reading
  /** Every reader of the same turns gets the same operation. */
  by: By
  signal: AbortSignal | undefined
  /** Whether nobody else has read it meanwhile. */
  isStillOurs(transaction: Transaction): Promise<boolean>
  /** Marks it as read. Call it in the transaction that writes the result. */
  mark(transaction: Transaction, outcome: ReadOutcome): Promise<void>
}

/** How a part was read, and the result. */
interface ReadOutcome {
  /** "rules", or the name of a model. */
  by: string
  note?: string | undefined
  /** A model should read it too, later. */
  isWaiting?: boolean | undefined
  /** The ids of the memories it added. */
  memories: readonly string[]
  dropped: number
}

/** The result of reading a session. */
export interface SessionRead<Result> {
  session: string
  parts: (Result & { from: number; to: number; operation: string })[]
  /** Another reader has claimed it. */
  isBusy: boolean
}

/** Passes the unread turns of a session to a reader, each turn once. */
export async function readSession<Result extends object>(
  needs: ReadContext,
  { id, actor }: { id: string; actor: string },
  reader: Pick<SessionReader<Result>, "read">,
): Promise<SessionRead<Result>> {
  const parts: SessionRead<Result>["parts"] = []
  let isBusy = false
  // Turns that wait for a model come first, so that it reads nothing twice.
  for (const reading of ["held", "unread"] as const) {
    for (;;) {
      needs.signal?.throwIfAborted()
      const part = await readNext(needs, { id, reading, actor }, reader)
      if (part === "busy") isBusy = true
      if (typeof part === "string") break
      parts.push(part)
      await yieldToEventLoop()
    }
  }
  return { session: id, parts, isBusy }
}

/** Reads one part; or returns that all is read, another reader has it, or it waits for a model. */
async function readNext<Result extends object>(
  needs: ReadContext,
  { id, reading, actor }: { id: string; reading: Reading; actor: string },
  reader: Pick<SessionReader<Result>, "read">,
): Promise<SessionRead<Result>["parts"][number] | "busy" | "read" | "waiting"> {
  const claim = newId(needs.random, "claim")
  const session = await claimSession(needs, id, claim, reading)
  if (typeof session === "string") return session
  try {
    const part = await claimedPart(needs, session, { claim, reading, actor })
    const result = await reader.read(part)
    if (result === "waiting") await releaseSession(needs.db, id, claim)
    if (typeof result === "string") return result
    return { ...result, from: part.from, to: part.to, operation: part.by.operation }
  } catch (error) {
    await releaseSession(needs.db, id, claim)
    throw error
  }
}

async function claimedPart(
  { db, clock, signal }: ReadContext,
  session: UnreadSession,
  { claim, reading, actor }: { claim: string; reading: Reading; actor: string },
): Promise<UnreadTurns> {
  const isHeld = reading === "held"
  const range = isHeld ? { from: session.modelFrom ?? 0, to: session.read } : { from: session.read }
  const part = await readTurns(db, session.id, range)
  const by = { operation: operationFor(session.id, part, reading), actor }
  return {
    ...part,
    session,
    reading,
    by,
    signal,
    isStillOurs: (transaction) => isStillClaimed(transaction, session, claim),
    mark: (transaction, outcome) =>
      writeMark(transaction, { ...part, session, reading, by, at: clock.now() }, outcome),
  }
}

async function writeMark(
  transaction: Transaction,
  {
    session,
    from,
    to,
    reading,
    by,
    at,
  }: Pick<UnreadTurns, "session" | "from" | "to" | "reading" | "by"> & { at: number },
  { by: reader, note, isWaiting, memories, dropped }: ReadOutcome,
): Promise<void> {
  const how = { by: reader, memories: memories.length, ...(note === undefined ? {} : { note }) }
  const next = to >= from ? to + 1 : session.read
  const marked =
    reading === "held"
      ? { turns: session.read, modelFrom: next < session.read ? next : null }
      : { turns: next, modelFrom: session.modelFrom ?? (isWaiting ? from : null) }
  await markRead(transaction, session, { ...marked, at, how })
  const data = { from, to, ...how, memories, dropped }
  await appendEntry(transaction, { ...by, at, kind: "session.extracted", subject: session.id, data })
}

function operationFor(id: string, { from, to }: TurnsToRead, reading: Reading): string {
  const key = `${id}\n${from}\n${to}${reading === "held" ? "\nheld" : ""}`
  const hash = createHash("sha256").update(key).digest()
  return `op_${encodeBase32(hash.subarray(0, 10))}`
}
