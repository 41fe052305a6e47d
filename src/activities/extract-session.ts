import { createHash } from "node:crypto"
import { stat } from "node:fs/promises"
import { nextTurn } from "../base/clock.ts"
import { encodeBase32, newId } from "../base/random.ts"
import {
  type ExtractNeeds,
  extractTurns,
  type Findings,
  findClaims,
  type Learned,
  type SessionPart,
} from "../memory/extraction/extract.ts"
import { closeGap, openGaps } from "../memory/extraction/gaps.ts"
import { appendEntry, type By } from "../storage/journal.ts"
import { sql } from "../storage/sql.ts"
import type { Reader, Transaction } from "../storage/transaction.ts"
import {
  claimSession,
  isStillClaimed,
  markRead,
  readEarlier,
  readUnread,
  releaseSession,
  requireSession,
  type UnreadSession,
} from "./unread-turns.ts"

/** What reading sessions needs. */
export interface ExtractSessionNeeds extends ExtractNeeds {
  install: string
  signal?: AbortSignal | undefined
}

/** One part of a session that was read: from which turn to which, how, and what it told. */
interface ReadPart extends Omit<Findings, "claims"> {
  from: number
  to: number
  /** What takes back all that was learned from it. */
  operation: string
  learned: Learned[]
}

/** What came of reading a session. */
export interface ExtractedSession {
  session: string
  parts: ReadPart[]
  /** Somebody else is reading it. */
  isBusy: boolean
}

/** Reads what was not read yet of a session, each turn once, and remembers what it tells. */
export async function extractSession(
  needs: ExtractSessionNeeds,
  id: string,
  actor: string,
): Promise<ExtractedSession> {
  const parts: ReadPart[] = []
  for (;;) {
    needs.signal?.throwIfAborted()
    const claim = newId(needs.random, "claim")
    const session = await claimSession(needs, id, claim)
    if (session === "busy" || session === "read") return { session: id, parts, isBusy: session === "busy" }
    try {
      const part = await readClaimed(needs, session, claim, actor)
      if (part === undefined) return { session: id, parts, isBusy: true }
      parts.push(part)
      // Nothing else in reading a session need ever wait for anything: others must get their turn.
      await nextTurn()
    } catch (error) {
      await releaseSession(needs.db, id, claim)
      throw error
    }
  }
}

/** What a reading would tell now; nothing is written, and nothing counts as read. */
export async function previewSession(needs: ExtractSessionNeeds, id: string): Promise<ExtractedSession> {
  const session = await requireSession(needs.db, id)
  const parts: ReadPart[] = []
  for (let read = session.read; ; ) {
    const part = await nextPart(needs, { ...session, read })
    if (part.to < read) return { session: id, parts, isBusy: false }
    const { claims, ...found } = await findClaims(needs, part)
    const learned = claims.map((claim): Learned => ({ claim, outcome: "saved" }))
    parts.push({ ...found, from: read, to: part.to, operation: "", learned })
    read = part.to + 1
    await nextTurn()
  }
}

async function nextPart(
  { db, install, signal }: ExtractSessionNeeds,
  session: UnreadSession,
): Promise<SessionPart & { to: number }> {
  const turns = await readUnread(db, session)
  return {
    session: session.id,
    project: await placeOf(db, session),
    turns,
    from: session.read,
    to: turns.at(-1)?.position ?? -1,
    earlier: () => readEarlier(db, session.id, turns[0]?.position ?? 0),
    gaps: await openGaps(db, install, session.project === null ? [] : [session.project]),
    ...(signal ? { signal } : {}),
  }
}

/** Where its memories belong: its folder, or its project's own if the folder, such as a worktree, is gone. */
async function placeOf(on: Reader, { folder, project }: UnreadSession): Promise<string | undefined> {
  const found = folder === null ? undefined : await stat(folder).catch(() => undefined)
  if (folder !== null && found) return folder
  const [known] = await on.read<{ root: string }>(sql`select root from projects where id = ${project}`)
  return known?.root || (folder ?? undefined)
}

/** Reads one part and writes what it tells together with the mark that it is read; undefined if others were quicker. */
async function readClaimed(
  needs: ExtractSessionNeeds,
  session: UnreadSession,
  claim: string,
  actor: string,
): Promise<ReadPart | undefined> {
  const part = await nextPart(needs, session)
  const by = { operation: operationFor(session, part.to), actor }
  let isOurs = true
  const { claims, ...told } = await extractTurns(needs, part, by, (findings, ids) => ({
    async before(transaction) {
      isOurs = await isStillClaimed(transaction, session, claim)
      return isOurs ? undefined : []
    },
    async after(transaction) {
      const at = needs.clock.now()
      for (const [one, memory] of ids) if (one.gap) await closeGap(transaction, one.gap, memory, at)
      await writeMark(transaction, session, by, at, { to: part.to, findings, memories: [...ids.values()] })
    },
  }))
  return isOurs ? { ...told, from: session.read, to: part.to, operation: by.operation } : undefined
}

interface Mark {
  to: number
  findings: Findings
  memories: string[]
}

async function writeMark(
  transaction: Transaction,
  session: UnreadSession,
  by: By,
  at: number,
  { to, findings, memories }: Mark,
): Promise<void> {
  const how = {
    by: findings.by,
    memories: memories.length,
    ...(findings.note === undefined ? {} : { note: findings.note }),
  }
  await markRead(transaction, session, { turns: to + 1, at, how })
  const data = { from: session.read, to, ...how, memories, dropped: findings.dropped }
  await appendEntry(transaction, { ...by, at, kind: "session.extracted", subject: session.id, data })
}

/** The same for the same turns of the same session, whoever reads them. */
function operationFor({ id, read }: UnreadSession, to: number): string {
  const hash = createHash("sha256").update(`${id}\n${read}\n${to}`).digest()
  return `op_${encodeBase32(hash.subarray(0, 10))}`
}
