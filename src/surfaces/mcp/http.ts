import { createHash } from "node:crypto"
import { createMcpHandler } from "@modelcontextprotocol/server"
import type { Client } from "../../api/client.ts"
import { messageOf } from "../../base/errors.ts"
import { encodeBase32 } from "../../base/random.ts"
import type { InstallCore } from "../../storage/core.ts"
import type { McpNeeds } from "./needs.ts"
import { createServer } from "./server.ts"

/** MCP over HTTP. The API has checked Host, Origin and token before. */
export function openMcpHttp(needs: McpNeeds & Pick<InstallCore, "clock" | "install">) {
  const serve = (request: Request | undefined) => {
    const session = sessionFor(needs, request)
    const own = { ...needs, use: <T>(work: (client: Client) => Promise<T>) => needs.use(work, session) }
    return createServer(own, { folder: projectIn(request) })
  }
  return createMcpHandler(({ requestInfo }) => serve(requestInfo), {
    onerror: (error) => needs.report(`An MCP request was refused or failed: ${messageOf(error)}`),
  })
}

const hourMs = 3_600_000

/** HTTP requests are independent, so the requests of one program for one project in one hour count as a session. */
function sessionFor(
  { clock, install }: McpNeeds & Pick<InstallCore, "clock" | "install">,
  request: Request | undefined,
): string {
  const program = request?.headers.get("user-agent") ?? ""
  const hour = Math.floor(clock.now() / hourMs)
  const named = JSON.stringify([install, program, projectIn(request) ?? "", hour])
  return `mcp_${encodeBase32(createHash("sha256").update(named).digest().subarray(0, 10))}`
}

/** The project in the URL of the server: ?project=/its/folder. */
function projectIn(request: Request | undefined): string | undefined {
  if (request === undefined) return undefined
  return new URL(request.url).searchParams.get("project") ?? undefined
}
