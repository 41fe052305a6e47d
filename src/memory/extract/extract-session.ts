import { stat } from "node:fs/promises"
import { yieldToEventLoop } from "../../base/clock.ts"
import { readSession, type SessionRead, type SessionReader } from "../../sessions/read-session.ts"
import {
  readTurns,
  requireUnread,
  type TurnsToRead,
  type UnreadSession,
} from "../../sessions/unread-turns.ts"
import type { Reader } from "../../storage/transaction.ts"
import { projectRoot } from "../model/known-projects.ts"
import { closeGap, openGaps } from "../write/gaps.ts"
import {
  type ExtractCore,
  extractTurns,
  type Findings,
  findClaims,
  type Learned,
  type SessionPart,
} from "./extract.ts"

export interface SessionExtractCore extends ExtractCore {
  install: string
  signal?: AbortSignal | undefined
  isAsked?: boolean | undefined
  /** The cycle that reads, if one does. */
  cycle?: string | undefined
}

/** At most this many open questions are shown to the model. */
const mostGapsShown = 10

interface ExtractedPart extends Omit<Findings, "claims" | "isWaiting"> {
  learned: Learned[]
}

/** The result of reading a session. Undoing the operation of a part removes everything learned from it. */
export type ExtractedSession = SessionRead<ExtractedPart>

/** Reads the unread part of a session, each turn once, and remembers what it says. */
export function extractSession(
  needs: SessionExtractCore,
  id: string,
  actor: string,
): Promise<ExtractedSession> {
  return readSession(needs, { id, actor }, extractingReader(needs))
}

/** A session reader that remembers what the turns say. */
export function extractingReader(needs: SessionExtractCore): SessionReader<ExtractedPart> {
  return {
    hasModel: async () => Boolean((await needs.models?.choose("extraction"))?.chosen),
    async read(unread) {
      const { session, by } = unread
      const isHeld = unread.reading === "held"
      let missed: "busy" | "waiting" = "busy"
      const part = await partOf(needs, session, unread, unread.signal)
      const extracted = await extractTurns(needs, { ...part, byModelOnly: isHeld }, by, {
        async mayWrite(transaction, findings) {
          missed = isHeld && findings.isWaiting ? "waiting" : "busy"
          return missed === "busy" && (await unread.isStillOurs(transaction))
        },
        async after(transaction, findings, learned) {
          const at = needs.clock.now()
          for (const { claim, id } of learned)
            if (claim.gap && id) await closeGap(transaction, { id: claim.gap, memory: id, at }, by)
          await unread.mark(transaction, { ...findings, memories: learned.flatMap(({ id }) => id ?? []) })
        },
      })
      if (extracted === undefined) return missed
      const { claims, isWaiting, ...found } = extracted
      return found
    },
  }
}

/** What reading would find now; nothing is written or marked as read. */
export async function previewSession(needs: SessionExtractCore, id: string): Promise<ExtractedSession> {
  const session = await requireUnread(needs.db, id)
  const parts: ExtractedSession["parts"] = []
  for (let read = session.read; ; ) {
    const next = await readTurns(needs.db, id, { from: read })
    if (next.to < read) return { session: id, parts, isBusy: false }
    const part = await partOf(needs, session, next, needs.signal)
    const { claims, isWaiting, ...found } = await findClaims(needs, part)
    const learned = claims.map((claim): Learned => ({ claim, outcome: "saved" }))
    parts.push({ ...found, from: read, to: next.to, operation: "", learned })
    read = next.to + 1
    await yieldToEventLoop()
  }
}

async function partOf(
  { db, install, isAsked, cycle }: SessionExtractCore,
  session: UnreadSession,
  { from, turns, earlier }: TurnsToRead,
  signal: AbortSignal | undefined,
): Promise<SessionPart> {
  return {
    session: session.id,
    project: await projectOf(db, session),
    turns,
    isAsked,
    cycle,
    from,
    earlier,
    gaps: await openGaps(db, { install, projects: [null, session.project] }, mostGapsShown),
    ...(signal ? { signal } : {}),
  }
}

/** The project of its memories: its folder, or the project's root if the folder, such as a worktree, is gone. */
async function projectOf(on: Reader, { folder, project }: UnreadSession): Promise<string | undefined> {
  const found = folder === null ? undefined : await stat(folder).catch(() => undefined)
  if (folder !== null && found) return folder
  return (await projectRoot(on, project)) || (folder ?? undefined)
}
