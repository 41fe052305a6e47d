import type { ExtractedSession } from "../../memory/extract/extract-session.ts"
import type { Memory } from "../../memory/model/memory.ts"
import type { Gap } from "../../memory/write/gaps.ts"
import type { RecallPreview, Surfaced } from "../../recall/types.ts"
import type { Session } from "../../sessions/session.ts"
import type { Turn } from "../../sessions/turn.ts"
import type { IsoTimes } from "./iso-times.ts"
import type { ShownMemory } from "./shown-memory.ts"

/** Answers about sessions, extraction and recall. */
export interface SessionAnswers {
  sessions: {
    sessions: SessionJson[]
    skipped: SkippedJson[]
    /** The sessions that are active now. */
    active: string[]
    lastUserAt: string | null
  }
  session: {
    session: SessionJson
    /** The memories learned from it. */
    learned: ShownMemory[]
    turns: IsoTimes<Turn>[]
    /** The next turn, if there are more. */
    next: number | null
  }
  sessionSurfaced: { surfaced: SurfacedJson[] }
  /** The number of transcripts to read again. */
  retrySessions: { retried: number }
  tellSession: { outcome: "told" }
  extract: Extracted
  extractSession: Extracted
  /** The memories that come up now; usually none. */
  recallStart: Surfaced
  recallTurn: Surfaced
  recallEnd: { outcome: "ended" }
  recallPreview: RecallPreview
  /** Questions that found nothing. */
  gaps: { gaps: IsoTimes<Gap>[] }
}

/** A session as JSON. */
export type SessionJson = Omit<IsoTimes<Session>, "pid"> & {
  projectName: string | null
  /** The number of memories learned from it. */
  learned: number
}

/** A transcript that is skipped, because reading it crashed the thread or the daemon. */
export interface SkippedJson {
  tool: Session["tool"]
  place: string
  reason: string
  since: string
}

/** The memories that came up in a session at one moment. */
export interface SurfacedJson {
  at: string
  session: string
  /** Whether the session is still stored. */
  isKept: boolean
  title: string | null
  tool: string
  projectName: string | null
  /** The number of the prompt it came with. */
  turn: number
  /** `helpful` and `unhelpful` count the ratings. */
  memories: { id: string; content: string; status: Memory["status"]; helpful: number; unhelpful: number }[]
}

/** What was read and learned; with `dryRun`, what would be. */
export interface Extracted {
  dryRun: boolean
  sessions: ExtractedSession[]
}
