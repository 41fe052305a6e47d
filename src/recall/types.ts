/** Identifies a session. */
export interface RecallSession {
  /** Such as "codex:01a1ddd9-…". */
  id: string
  tool: string
  /** Its project, if it has one (see project.ts). */
  project?: string | undefined
}

/** An event in a session. */
export type SessionEvent =
  | { kind: "prompt"; text: string }
  /** New output of the agent, whole or in parts. */
  | { kind: "output"; text: string; files?: readonly string[] | undefined }
  /** A tool call ended; `text` is its output. */
  | {
      kind: "tool"
      name: string
      text: string
      input?: string | undefined
      isError: boolean
      files?: readonly string[] | undefined
    }
  /** A tool is about to be called; `text` is its input. */
  | { kind: "call"; name: string; text: string }

/** How a session starts: new (also after its context was shortened or cleared), or with its old context. */
export type StartMode = "anew" | "resumed"

/** A memory that is brought up. */
export interface SurfacedMemory {
  id: string
  /** Its id at its source. */
  sourceId: string | null
  content: string
  type: string
  score: number
  via: readonly string[]
  /** Where it comes from and since when, such as "the user said on 31 Jan 2026". */
  origin: string
  at: string
  /** Whether it is a rule of the user. Everything else is background. */
  isRule: boolean
  /** Why it may no longer be true. */
  outdated?: readonly string[]
  /** The id of a newer memory that may replace it; undecided. */
  older?: string
}

/** What is brought up now; usually nothing. */
export interface Surfaced {
  memories: readonly SurfacedMemory[]
  /** The memories as fenced text for an agent; empty if there are none. */
  text: string
}

export const nothingSurfaced: Surfaced = { memories: [], text: "" }

/** A hit that is not brought up, and why. */
export interface SkippedMemory extends SurfacedMemory {
  reason: string
}

/** What the gate would bring up for a text now, and why not the rest. A preview changes nothing and asks no model. */
export interface RecallPreview extends Surfaced {
  /** The query, built from the text and earlier prompts. */
  query: string
  /** How likely memory has an answer, 0 to 1. */
  confidence: number
  leftOut: readonly SkippedMemory[]
  /** Why nothing can be brought up, if the reason is not the text. */
  reason?: string | undefined
}

/** Recall for any session. Every answer comes within `recall.wait_ms`. */
export interface Recall {
  /** A session starts, or its context was shortened. Returns the project's brief; for a resumed session, what is new. */
  start(session: RecallSession, how?: StartMode): Promise<Surfaced>
  /**
   * Handles an event whose reporter can show something to the agent. A prompt gets what its own search finds in time;
   * later results, and the judge's, come with the next prompt on the topic. An ended tool call gets what is prepared, an
   * output gets nothing, and a call that is about to start gets the prohibitions it would break.
   */
  turn(session: RecallSession, happening: SessionEvent): Promise<Surfaced>
  /** The same for reporters that cannot show anything: only prepares. A known prompt is not counted twice. */
  observe(session: RecallSession, happening: SessionEvent): Promise<void>
  end(session: RecallSession): Promise<void>
  preview(session: RecallSession, text: string): Promise<RecallPreview>
  /** Settles when no background work is left. */
  settled(): Promise<void>
  close(): Promise<void>
}
