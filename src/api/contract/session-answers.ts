import type { ExtractedSession } from "../../memory/extract/extract-session.ts"
import type { Memory } from "../../memory/model/memory.ts"
import type { Gap } from "../../memory/write/gaps.ts"
import type { RecallPreview, Surfaced } from "../../recall/types.ts"
import type { Session } from "../../sessions/session.ts"
import type { Turn } from "../../sessions/turn.ts"
import type { IsoTimes } from "./iso-times.ts"
import type { ShownMemory } from "./shown-memory.ts"

/** What is answered about sessions, reading them, and what comes up in them. */
export interface SessionAnswers {
  sessions: {
    sessions: SessionJson[]
    skipped: SkippedJson[]
    /** Those in which something is going on now. */
    active: string[]
    lastUserAt: string | null
  }
  session: {
    session: SessionJson
    /** What it taught. */
    learned: ShownMemory[]
    turns: IsoTimes<Turn>[]
    /** The turn to go on with, if there are more. */
    next: number | null
  }
  sessionSurfaced: { surfaced: SurfacedJson[] }
  /** How many transcripts are read again. */
  retrySessions: { retried: number }
  tellSession: { outcome: "told" }
  extract: Extracted
  extractSession: Extracted
  /** What is brought up in a session now; empty is the usual answer. */
  recallStart: Surfaced
  recallTurn: Surfaced
  recallEnd: { outcome: "ended" }
  recallPreview: RecallPreview
  /** Questions that found nothing. */
  gaps: { gaps: IsoTimes<Gap>[] }
}

/** A session as it travels. */
export type SessionJson = Omit<IsoTimes<Session>, "pid"> & {
  projectName: string | null
  /** How many memories it taught. */
  learned: number
}

/** A transcript that is read no more, because reading it ended the thread or the daemon that read it. */
export interface SkippedJson {
  tool: Session["tool"]
  place: string
  reason: string
  since: string
}

/** What came up in a session at one moment, unasked. */
export interface SurfacedJson {
  at: string
  session: string
  /** Whether the session itself is still kept. */
  isKept: boolean
  title: string | null
  tool: string
  projectName: string | null
  /** The number of the prompt it came with. */
  turn: number
  /** `helpful` and `unhelpful` count what people said of it. */
  memories: { id: string; content: string; status: Memory["status"]; helpful: number; unhelpful: number }[]
}

/** What was read of sessions and what was learned; with `dryRun`, what would be. */
export interface Extracted {
  dryRun: boolean
  sessions: ExtractedSession[]
}
