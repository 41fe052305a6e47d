import { createHash } from "node:crypto"
import { stat } from "node:fs/promises"
import { nextTurn } from "../../base/clock.ts"
import { encodeBase32, newId } from "../../base/random.ts"
import {
  type ExtractNeeds,
  extractTurns,
  type Findings,
  findClaims,
  type Learned,
  type SessionPart,
} from "../../memory/extract/extract.ts"
import { rootOf } from "../../memory/model/known-projects.ts"
import { closeGap, openGaps } from "../../memory/write/gaps.ts"
import {
  claimSession,
  isStillClaimed,
  markRead,
  type Reading,
  readEarlier,
  readFrom,
  releaseSession,
  requireUnread,
  type UnreadSession,
} from "../../sessions/unread-turns.ts"
import { appendEntry, type By } from "../../storage/journal.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"

/** What reading sessions needs. */
export interface ExtractSessionNeeds extends ExtractNeeds {
  install: string
  signal?: AbortSignal | undefined
  /** Whether a person asked for it. */
  isAsked?: boolean | undefined
  /** The cycle that reads, where one does. */
  cycle?: string | undefined
}

/** How many open questions are shown to whoever reads a session. */
const mostGapsShown = 10

/** One part of a session that was read: from which turn to which, how, and what it told. */
interface ReadPart extends Omit<Findings, "claims" | "isWaiting"> {
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
  let isBusy = false
  // What a model should still read comes first, so that it reads nothing twice.
  for (const reading of ["held", "unread"] as const) {
    for (;;) {
      needs.signal?.throwIfAborted()
      const part = await readNext(needs, { id, reading, actor })
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
async function readNext(
  needs: ExtractSessionNeeds,
  { id, reading, actor }: { id: string; reading: Reading; actor: string },
): Promise<ReadPart | "busy" | "read" | "waiting"> {
  const claim = newId(needs.random, "claim")
  const session = await claimSession(needs, id, claim, reading)
  if (typeof session === "string") return session
  try {
    const part = await readClaimed(needs, session, { claim, reading, actor })
    if (part === "waiting") await releaseSession(needs.db, id, claim)
    return part
  } catch (error) {
    await releaseSession(needs.db, id, claim)
    throw error
  }
}

/** What a reading would tell now; nothing is written, and nothing counts as read. */
export async function previewSession(needs: ExtractSessionNeeds, id: string): Promise<ExtractedSession> {
  const session = await requireUnread(needs.db, id)
  const parts: ReadPart[] = []
  for (let read = session.read; ; ) {
    const part = await nextPart(needs, session, { from: read })
    if (part.to < read) return { session: id, parts, isBusy: false }
    const { claims, isWaiting, ...found } = await findClaims(needs, part)
    const learned = claims.map((claim): Learned => ({ claim, outcome: "saved" }))
    parts.push({ ...found, from: read, to: part.to, operation: "", learned })
    read = part.to + 1
    await nextTurn()
  }
}

async function nextPart(
  { db, install, signal, isAsked, cycle }: ExtractSessionNeeds,
  session: UnreadSession,
  range: { from: number; to?: number | undefined },
): Promise<SessionPart & { from: number; to: number }> {
  const turns = await readFrom(db, session.id, range)
  return {
    session: session.id,
    project: await projectOf(db, session),
    turns,
    isAsked,
    cycle,
    from: range.from,
    to: turns.at(-1)?.position ?? -1,
    earlier: () => readEarlier(db, session.id, turns[0]?.position ?? 0),
    gaps: await openGaps(db, { install, projects: [null, session.project] }, mostGapsShown),
    ...(signal ? { signal } : {}),
  }
}

/** Where its memories belong: its folder, or its project's own if the folder, such as a worktree, is gone. */
async function projectOf(on: Reader, { folder, project }: UnreadSession): Promise<string | undefined> {
  const found = folder === null ? undefined : await stat(folder).catch(() => undefined)
  if (folder !== null && found) return folder
  return (await rootOf(on, project)) || (folder ?? undefined)
}

/** Reads one part and writes what it tells together with the mark that it is read. */
async function readClaimed(
  needs: ExtractSessionNeeds,
  session: UnreadSession,
  { claim, reading, actor }: { claim: string; reading: Reading; actor: string },
): Promise<ReadPart | "busy" | "waiting"> {
  const isHeld = reading === "held"
  const range = isHeld ? { from: session.modelFrom ?? 0, to: session.read } : { from: session.read }
  const part = await nextPart(needs, session, range)
  const by = { operation: operationFor(session.id, range.from, part.to, reading), actor }
  let missed: "busy" | "waiting" | undefined
  const told = await extractTurns(needs, { ...part, byModelOnly: isHeld }, by, (findings, ids) => ({
    async before(transaction) {
      if (isHeld && findings.isWaiting) missed = "waiting"
      else if (!(await isStillClaimed(transaction, session, claim))) missed = "busy"
      return missed === undefined ? undefined : []
    },
    async after(transaction) {
      const at = needs.clock.now()
      for (const [one, memory] of ids)
        if (one.gap) await closeGap(transaction, { id: one.gap, memory, at }, by)
      const mark = { from: range.from, to: part.to, reading, findings, memories: [...ids.values()] }
      await writeMark(transaction, session, by, at, mark)
    },
  }))
  if (missed) return missed
  const { claims, isWaiting, ...found } = told
  return { ...found, from: range.from, to: part.to, operation: by.operation }
}

interface Mark {
  from: number
  to: number
  reading: Reading
  findings: Findings
  memories: string[]
}

async function writeMark(
  transaction: Transaction,
  session: UnreadSession,
  by: By,
  at: number,
  { from, to, reading, findings, memories }: Mark,
): Promise<void> {
  const how = {
    by: findings.by,
    memories: memories.length,
    ...(findings.note === undefined ? {} : { note: findings.note }),
  }
  const next = to >= from ? to + 1 : session.read
  const marked =
    reading === "held"
      ? { turns: session.read, modelFrom: next < session.read ? next : null }
      : { turns: next, modelFrom: session.modelFrom ?? (findings.isWaiting ? from : null) }
  await markRead(transaction, session, { ...marked, at, how })
  const data = { from, to, ...how, memories, dropped: findings.dropped }
  await appendEntry(transaction, { ...by, at, kind: "session.extracted", subject: session.id, data })
}

/** The same for the same turns of the same session, whoever reads them. */
function operationFor(id: string, from: number, to: number, reading: Reading): string {
  const key = `${id}\n${from}\n${to}${reading === "held" ? "\nheld" : ""}`
  const hash = createHash("sha256").update(key).digest()
  return `op_${encodeBase32(hash.subarray(0, 10))}`
}
