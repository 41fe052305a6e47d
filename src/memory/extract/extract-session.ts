import { stat } from "node:fs/promises"
import { nextTurn } from "../../base/clock.ts"
import { readSession, type SessionRead, type SessionReader } from "../../sessions/read-session.ts"
import {
  readTurns,
  requireUnread,
  type TurnsToRead,
  type UnreadSession,
} from "../../sessions/unread-turns.ts"
import type { Reader } from "../../storage/transaction.ts"
import { rootOf } from "../model/known-projects.ts"
import { closeGap, openGaps } from "../write/gaps.ts"
import {
  type ExtractNeeds,
  extractTurns,
  type Findings,
  findClaims,
  type Learned,
  type SessionPart,
} from "./extract.ts"

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

/** How a part of a session was read, and what it told. */
interface ExtractedPart extends Omit<Findings, "claims" | "isWaiting"> {
  learned: Learned[]
}

/** What came of reading a session. The operation of a part takes back all that was learned from it. */
export type ExtractedSession = SessionRead<ExtractedPart>

/** Reads what was not read yet of a session, each turn once, and remembers what it tells. */
export function extractSession(
  needs: ExtractSessionNeeds,
  id: string,
  actor: string,
): Promise<ExtractedSession> {
  return readSession(needs, { id, actor }, extractingReader(needs))
}

/** Remembers what the turns it is given tell. */
export function extractingReader(needs: ExtractSessionNeeds): SessionReader<ExtractedPart> {
  return {
    hasModel: async () => Boolean((await needs.models?.choose("extraction"))?.chosen),
    async read(unread) {
      const { session, by } = unread
      const isHeld = unread.reading === "held"
      let missed: "busy" | "waiting" = "busy"
      const part = await partOf(needs, session, unread, unread.signal)
      const told = await extractTurns(needs, { ...part, byModelOnly: isHeld }, by, {
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
      if (told === undefined) return missed
      const { claims, isWaiting, ...found } = told
      return found
    },
  }
}

/** What a reading would tell now; nothing is written, and nothing counts as read. */
export async function previewSession(needs: ExtractSessionNeeds, id: string): Promise<ExtractedSession> {
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
    await nextTurn()
  }
}

async function partOf(
  { db, install, isAsked, cycle }: ExtractSessionNeeds,
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

/** Where its memories belong: its folder, or its project's own if the folder, such as a worktree, is gone. */
async function projectOf(on: Reader, { folder, project }: UnreadSession): Promise<string | undefined> {
  const found = folder === null ? undefined : await stat(folder).catch(() => undefined)
  if (folder !== null && found) return folder
  return (await rootOf(on, project)) || (folder ?? undefined)
}
