import type { Client } from "../../api/client.ts"

/** What an MCP server needs, over any transport. */
export interface McpNeeds {
  /** Runs work with a client of the API; `session` is the agent's, if one connection serves many. */
  use<T>(work: (client: Client) => Promise<T>, session?: string): Promise<T>
  /** Removes secrets from every text of an answer; `folder` is the project's. */
  clean<T>(value: T, folder: string | undefined): Promise<T>
  /** Reports a problem to the user, never to the agent. */
  report(text: string): void
}
