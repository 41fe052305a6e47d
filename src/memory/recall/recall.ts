/** A session as recall knows it: whoever talks names it in the same way each time. */
export interface RecallSession {
  /** Such as "codex:01a1ddd9-…". */
  id: string
  tool: string
  /** The project it is about (see project.ts), where there is one. */
  project?: string | undefined
}

/** Something that happened in a session, as far as recall looks at it. */
export type Happening =
  | { kind: "prompt"; text: string }
  /** What the agent wrote since the last time, whole or in parts. */
  | { kind: "output"; text: string; files?: readonly string[] }
  | { kind: "tool"; name: string; text: string; isError: boolean; files?: readonly string[] }

/** One memory that is brought up. */
export interface SurfacedMemory {
  id: string
  content: string
  type: string
  score: number
  via: readonly string[]
}

/** What is brought up now. Empty is the usual answer. */
export interface Surfaced {
  memories: readonly SurfacedMemory[]
  /** The same as text to be put before an agent: fenced, fingerprinted, small; empty where there is nothing. */
  text: string
}

/** Recall for any session: every answer comes at once, from what was prepared before. */
export interface Recall {
  /** A session begins, goes on after a break or after its context was shortened: what its project should know. */
  start(session: RecallSession): Promise<Surfaced>
  /** Something happened: gives what was prepared, and prepares for the next time in the background. */
  turn(session: RecallSession, happening: Happening): Promise<Surfaced>
  /** The session is over. */
  end(session: RecallSession): Promise<void>
  /** Settles when nothing is being prepared any more; for tests and for stopping. */
  settled(): Promise<void>
  close(): Promise<void>
}
