/** One thing said or done in a session with an agent, without secrets and without what we put there ourselves. */
export interface Turn {
  /** Its index in the session, from 0; a turn keeps it for ever. */
  position: number
  role: "user" | "assistant" | "tool"
  at: number
  text: string
  /** The tool that was called, for what a tool said. */
  tool?: string
  /** Whether the tool failed. */
  isError?: boolean
  /** Files it is about, as the agent named them. */
  files?: readonly string[]
}

/** A turn that is to be kept: its position is given by the store. */
export type NewTurn = Omit<Turn, "position"> & {
  /** The same for the same thing however often it is read. */
  key: string
}
