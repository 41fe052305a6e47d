import type { Readable, Writable } from "node:stream"
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio"
import { UserError } from "../../base/errors.ts"
import type { ClientContext } from "./client-context.ts"
import type { McpNeeds } from "./needs.ts"
import { createServer } from "./server.ts"

/** At most this many bytes in one message. */
const longestBytes = 10_000_000

const tooLongText = "A message was larger than 10 MB; the connection is closed. Send less at once."

/** Serves MCP over standard input and output until the client closes it. Nothing else may write to stdout. */
export function serveMcpStdio(
  needs: McpNeeds,
  context: ClientContext,
  { input, output }: { input: Readable; output: Writable },
): Promise<void> {
  const transport = new StdioServerTransport(input, output, { maxBufferSize: longestBytes })
  return new Promise((resolve, reject) => {
    let tooLong: UserError | undefined
    const onerror = (error: Error) => {
      if (/exceeded maximum size/.test(error.message)) tooLong = new UserError("failed", tooLongText)
      else needs.report("A message could not be parsed or answered; it was skipped.")
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
