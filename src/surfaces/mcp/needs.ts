import type { Client } from "../../api/client.ts"

/** What a server needs, whatever carries its words. */
export interface McpNeeds {
  /** Does something with a client of the API; `session` names the agent's, where one connection serves many. */
  use<T>(work: (client: Client) => Promise<T>, session?: string): Promise<T>
  /** Takes out what may not leave, of every text in an answer; `folder` is the project it is about. */
  clean<T>(value: T, folder: string | undefined): Promise<T>
  /** Says something to whoever runs it; never to the agent. */
  tell(text: string): void
}
