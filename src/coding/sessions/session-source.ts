import type { Phase, SessionTool } from "../../sessions/session.ts"
import type { Turn } from "../../sessions/turn.ts"

/** A turn as a tool's files tell it: not yet screened, and without its index in the session. */
export interface RawTurn extends Pick<Turn, "role" | "at" | "text"> {
  /** The same for the same thing however often it is read. */
  key: string
  tool?: string | undefined
  /** What the tool was to run. */
  command?: string | undefined
  files?: readonly string[] | undefined
  isError?: boolean | undefined
}

/** What a tool's files say of one session. */
export interface SessionNews {
  nativeId: string
  folder?: string | undefined
  branch?: string | undefined
  title?: string | undefined
  startedAt?: number | undefined
  pid?: number | undefined
  phase?: Phase | undefined
  turns: RawTurn[]
}

/** Where one session is written: a file, or a row of a database. */
export interface SessionLocation {
  /** Its name; the same for ever. */
  id: string
  changedAt: number
  /** Changes whenever there may be something new. */
  stamp: string
}

/** How far a location has been read. Plain data, without anything of what was said. */
export interface Progress {
  position: number
  state: unknown
}

export interface Reading extends Progress {
  /** Undefined where the location holds no session of the user's: a subagent's, or nothing yet. */
  news: SessionNews | undefined
  /** Whether there is more to read at once. */
  more: boolean
  /** Lines that were too long to be read. */
  passedOver?: number | undefined
}

/** A session that is not over yet, as far as looking for its process needs it. */
export interface OpenSession {
  nativeId: string
  location: string
  pid: number | null
}

/**
 * What is known of the process of a session: it runs; it ended and said so; it is gone; it is gone and left a sign of
 * life that it would have taken back; or nobody can tell.
 */
export type Life =
  | { life: "alive"; pid?: number | undefined; isBusy: boolean }
  | { life: "ended" | "gone" | "left" | "unknown" }

/** The sessions of one tool, read from what it writes on this machine. Nothing of it is ever changed. */
export interface SessionSource {
  readonly tool: SessionTool
  /** Everything that changed since a moment. */
  locations(since: number): Promise<SessionLocation[]>
  /** What is new in a location, some at a time. Reading again from an earlier point gives the same keys. */
  read(location: string, from: Progress | undefined): Promise<Reading>
  /** Whether the programs of these sessions still run, in their order; where nobody can tell, time decides. */
  lives?(sessions: readonly OpenSession[]): Promise<Life[]>
}

/** Takes secrets out of a text: commands and titles may hold some, and what was read so far is kept. */
export type Redact = (text: string) => string
