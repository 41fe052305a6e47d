import type { Client } from "../../api/client.ts"
import type { CliNeeds } from "./needs.ts"

/** Runs a command with a client, and closes whatever was opened for it. */
export async function withClient<T>(needs: CliNeeds, work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await needs.connect()
  try {
    return await work(connection.client)
  } finally {
    await connection.close()
  }
}
