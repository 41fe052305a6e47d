/** One message or tool call of a session, without secrets and without text that Reverie inserted. */
export interface Turn {
  /** Its index in the session, from 0; it never changes. */
  position: number
  role: "user" | "assistant" | "tool"
  at: number
  text: string
  /** The tool that was called, for role "tool". */
  tool?: string
  /** Whether the tool failed. */
  isError?: boolean
  /** Files it mentions, as the agent named them. */
  files?: readonly string[]
}

/** A turn to store, which assigns its position. */
export type NewTurn = Omit<Turn, "position"> & {
  /** Identifies it when it is read again. */
  key: string
}
