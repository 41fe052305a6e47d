import type { Readable, Writable } from "node:stream"
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio"
import { UserError } from "../../base/errors.ts"
import type { ClientContext } from "./client-context.ts"
import type { McpNeeds } from "./needs.ts"
import { createServer } from "./server.ts"

/** The longest message that is read; far more than memory would keep. */
const longestBytes = 10_000_000

/** Speaks MCP over standard input and output until the other side closes it. Nothing else may write to stdout. */
export function serveMcpStdio(
  needs: McpNeeds,
  context: ClientContext,
  { input, output }: { input: Readable; output: Writable },
): Promise<void> {
  const transport = new StdioServerTransport(input, output, { maxBufferSize: longestBytes })
  return new Promise((resolve, reject) => {
    let tooLong: UserError | undefined
    const onerror = (error: Error) => {
      if (/exceeded maximum size/.test(error.message)) tooLong = beyondMeasure()
      else needs.tell("A message was not understood, or could not be answered; it was left out.")
    }
    serveStdio(() => createServer(needs, context), { transport, onerror })
    const closed = transport.onclose
    transport.onclose = () => {
      closed?.()
      if (tooLong) reject(tooLong)
      else resolve()
    }
  })
}

function beyondMeasure(): UserError {
  return new UserError(
    "failed",
    "A message of more than 10 MB came; the connection is closed. Send less at once.",
  )
}
