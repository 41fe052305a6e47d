import { createMcpHandler } from "@modelcontextprotocol/server"
import { messageOf } from "../../base/errors.ts"
import type { McpNeeds } from "./needs.ts"
import { createServer } from "./server.ts"

/** MCP as a handler of HTTP requests. Who may ask is the door's business: it checks Host, Origin and token before. */
export function openMcpHttp(needs: McpNeeds) {
  return createMcpHandler(({ requestInfo }) => createServer(needs, { folder: projectIn(requestInfo) }), {
    onerror: (error) => needs.tell(`A request over MCP was refused or failed: ${messageOf(error)}`),
  })
}

/** A program's settings may name the project once, as ?project=/its/folder. */
function projectIn(request: Request | undefined): string | undefined {
  if (request === undefined) return undefined
  return new URL(request.url).searchParams.get("project") ?? undefined
}
