import type { Phase, SessionTool } from "../../sessions/session.ts"
import type { Turn } from "../../sessions/turn.ts"

/** A turn as the tool wrote it: not screened yet, and without its index in the session. */
export interface RawTurn extends Pick<Turn, "role" | "at" | "text"> {
  /** Identifies the turn; the same each time it is read. */
  key: string
  tool?: string | undefined
  /** The command that the tool ran. */
  command?: string | undefined
  files?: readonly string[] | undefined
  isError?: boolean | undefined
}

/** What a tool's files say about one session, with its new turns. */
export interface SessionUpdate {
  nativeId: string
  folder?: string | undefined
  branch?: string | undefined
  title?: string | undefined
  startedAt?: number | undefined
  pid?: number | undefined
  phase?: Phase | undefined
  turns: RawTurn[]
}

/** Where a session is stored: a file, or a row of a database. */
export interface SessionLocation {
  /** Its name, which never changes. */
  id: string
  changedAt: number
  /** Changes whenever there may be something new. */
  stamp: string
}

/** How far a location was read. Plain data without messages. */
export interface Progress {
  position: number
  state: unknown
}

/** The result of reading some of a location. */
export interface ReadResult extends Progress {
  /** Undefined if the location has no session of the user, such as one of a subagent, or nothing yet. */
  update: SessionUpdate | undefined
  /** Whether there is more to read now. */
  more: boolean
  /** How many lines were too long to read. */
  skippedLines?: number | undefined
}

/** A session that has not ended, with what is needed to find its process. */
export interface OpenSession {
  nativeId: string
  location: string
  pid: number | null
}

/**
 * The state of a session's process. `ended` is a regular end; `gone` may be an end or a crash; `unknown` if the tool
 * gives no way to tell.
 */
export type ProcessState =
  | { state: "alive"; pid?: number | undefined; isBusy: boolean }
  | { state: "ended" | "gone" | "crashed" | "unknown" }

/** Reads the sessions of one tool from its files on this machine, and never changes them. */
export interface SessionSource {
  readonly tool: SessionTool
  /** All locations that changed since a time. */
  locations(since: number): Promise<SessionLocation[]>
  /** Reads the next part of a location. Reading from an earlier point again gives the same keys. */
  read(location: string, from: Progress | undefined): Promise<ReadResult>
  /** The state of each session's process, in the same order; without it, time decides. */
  processStates?(sessions: readonly OpenSession[]): Promise<ProcessState[]>
}

/** Removes secrets from a text: commands and titles may contain some, and the state of reading is stored. */
export type Redact = (text: string) => string
