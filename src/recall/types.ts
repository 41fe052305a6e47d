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
  | { kind: "output"; text: string; files?: readonly string[] | undefined }
  /** A tool was called; `text` is what it said, `input` what it was given. */
  | {
      kind: "tool"
      name: string
      text: string
      input?: string | undefined
      isError: boolean
      files?: readonly string[] | undefined
    }
  /** A tool is about to be called; `text` is what it is given. */
  | { kind: "call"; name: string; text: string }

/** How a session begins: anew (also after its context was shortened or cleared), or with its context as it was. */
export type StartedHow = "anew" | "resumed"

/** One memory that is brought up. */
export interface SurfacedMemory {
  id: string
  /** The id that whoever remembered it gave it. */
  sourceId: string | null
  content: string
  type: string
  score: number
  via: readonly string[]
  /** Where it comes from and since when, such as "the user said on 31 Jan 2026". */
  origin: string
  at: string
  /** Whether it is the user's own wish, to be followed. Everything else is background. */
  isRule: boolean
  /** Why it does not seem to hold any more. */
  outdated?: readonly string[]
  /** The id of a newer memory that may replace it; nobody has decided yet. */
  older?: string
}

/** What is brought up now. Empty is the usual answer. */
export interface Surfaced {
  memories: readonly SurfacedMemory[]
  /** The same as text to be put before an agent: fenced, fingerprinted, small; empty where there is nothing. */
  text: string
}

/** The usual answer. */
export const nothingSurfaced: Surfaced = { memories: [], text: "" }

/** Why something else is not brought up. */
export interface LeftOut extends SurfacedMemory {
  reason: string
}

/** What the local gate would bring up for a text now, and what speaks against the rest. Looking so changes and costs nothing. */
export interface RecallPreview extends Surfaced {
  /** What memory is asked after, made from the text and what was said before it. */
  query: string
  /** How likely there is anything to bring up, 0 to 1. */
  confidence: number
  leftOut: readonly LeftOut[]
  /** Why nothing can be brought up at all, when that is not the text's fault. */
  reason?: string | undefined
}

/** Recall for any session: every answer comes within `recall.wait_ms`. */
export interface Recall {
  /** A session begins, or its context was shortened: what its project should know. A resumed one is told what is new. */
  start(session: RecallSession, how?: StartedHow): Promise<Surfaced>
  /**
   * Something happened, and whoever tells it can show the agent something. A prompt gets what its own search finds; what
   * takes longer, or a model judges, comes with the next prompt that fits. A tool gets what is prepared. After an agent's
   * output nothing is given: the next prompt or tool gets it. A call to come gets the prohibitions it would break.
   */
  turn(session: RecallSession, happening: Happening): Promise<Surfaced>
  /** The same from somebody who only looks on: prepares, and gives nothing. A prompt that is known is not counted twice. */
  observe(session: RecallSession, happening: Happening): Promise<void>
  /** The session is over. */
  end(session: RecallSession): Promise<void>
  /** What a prompt would bring up in this session now, and why; nothing is changed by it. */
  preview(session: RecallSession, text: string): Promise<RecallPreview>
  /** Settles when nothing is being prepared any more; for tests and for stopping. */
  settled(): Promise<void>
  close(): Promise<void>
}
