import type { Command } from "commander"
import type { Client } from "../../api/client.ts"
import type { CliNeeds } from "./needs.ts"

/** Runs work with a client, and closes whatever was opened for it. */
export async function withClient<T>(needs: CliNeeds, work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await needs.connect()
  try {
    return await work(connection.client)
  } finally {
    await connection.close()
  }
}

/**
 * Gives a command its action: `ask` gets an answer from the API, `show` prints it for people. With `--json`, which it
 * also adds, the answer is printed as it is. Both get the arguments and options of the command line.
 */
export function apiCommand<Args extends unknown[], Answer extends { schemaVersion: number }>(
  needs: CliNeeds,
  command: Command,
  ask: (client: Client, ...args: Args) => Promise<Answer>,
  show: (answer: Answer, ...args: Args) => unknown,
): void {
  command.option("--json", "print JSON").action(async (...given) => {
    const args = given.slice(0, -1) as Args
    const answer = await withClient(needs, (client) => ask(client, ...args))
    if (command.optsWithGlobals().json) needs.output.json(answer)
    else await show(answer, ...args)
  })
}
