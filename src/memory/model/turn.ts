/** One thing said or done in a session with an agent, without secrets and without what we put there ourselves. */
export interface Turn {
  /** Its place in the session, from 0; a turn keeps its place for ever. */
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
