import { createHash } from "node:crypto"
import { nextTurn } from "../base/clock.ts"
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

/** What goes through sessions; aborting the signal ends it after the part it is at. */
export type ReadSessionNeeds = Pick<Core, "db" | "clock" | "random"> & { signal?: AbortSignal | undefined }

/** Whoever is given the unread turns of sessions. */
export interface SessionReader<Told> {
  /** Whether what waits for a model may be read now. */
  hasModel(): Promise<boolean>
  /** Reads one part and writes what it tells together with its mark; or tells why it wrote nothing. */
  read(part: UnreadTurns): Promise<Told | "busy" | "waiting">
}

/** A part of a session that one reader has for itself. */
interface UnreadTurns extends TurnsToRead {
  session: UnreadSession
  reading: Reading
  /** The same operation for the same turns of the same session, whoever reads them. */
  by: By
  signal: AbortSignal | undefined
  /** Whether nobody has read it meanwhile. */
  isStillOurs(transaction: Transaction): Promise<boolean>
  /** Marks it as read. Belongs into the transaction that writes what it tells. */
  mark(transaction: Transaction, outcome: ReadOutcome): Promise<void>
}

/** How a part was read, and what came of it. */
interface ReadOutcome {
  /** "rules", or the name of a model. */
  by: string
  note?: string | undefined
  /** A model should read it too, later. */
  isWaiting?: boolean | undefined
  /** The ids of what it taught. */
  memories: readonly string[]
  dropped: number
}

/** What came of going through a session. */
export interface SessionRead<Told> {
  session: string
  parts: (Told & { from: number; to: number; operation: string })[]
  /** Somebody else is reading it. */
  isBusy: boolean
}

/** Hands what was not read yet of a session to its reader, each turn once. */
export async function readSession<Told extends object>(
  needs: ReadSessionNeeds,
  { id, actor }: { id: string; actor: string },
  reader: Pick<SessionReader<Told>, "read">,
): Promise<SessionRead<Told>> {
  const parts: SessionRead<Told>["parts"] = []
  let isBusy = false
  // What a model should still read comes first, so that it reads nothing twice.
  for (const reading of ["held", "unread"] as const) {
    for (;;) {
      needs.signal?.throwIfAborted()
      const part = await readNext(needs, { id, reading, actor }, reader)
      if (part === "busy") isBusy = true
      if (typeof part === "string") break
      parts.push(part)
      // Nothing else in reading a session need ever wait for anything: others must get their turn.
      await nextTurn()
    }
  }
  return { session: id, parts, isBusy }
}

/** Reads one part; tells where there is none, others read it, or it has to wait for its model. */
async function readNext<Told extends object>(
  needs: ReadSessionNeeds,
  { id, reading, actor }: { id: string; reading: Reading; actor: string },
  reader: Pick<SessionReader<Told>, "read">,
): Promise<SessionRead<Told>["parts"][number] | "busy" | "read" | "waiting"> {
  const claim = newId(needs.random, "claim")
  const session = await claimSession(needs, id, claim, reading)
  if (typeof session === "string") return session
  try {
    const part = await claimedPart(needs, session, { claim, reading, actor })
    const told = await reader.read(part)
    if (told === "waiting") await releaseSession(needs.db, id, claim)
    if (typeof told === "string") return told
    return { ...told, from: part.from, to: part.to, operation: part.by.operation }
  } catch (error) {
    await releaseSession(needs.db, id, claim)
    throw error
  }
}

async function claimedPart(
  { db, clock, signal }: ReadSessionNeeds,
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
