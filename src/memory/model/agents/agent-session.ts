/** Whether a name is the id of an agent's MCP session. Its operations begin with that id, so undo finds them. */
export function isAgentSession(name: string): boolean {
  return /^mcp_[0-9a-z]{8,40}$/.test(name)
}

/** The id of an agent's session, from that id or from the session id of its memories (`reverie:mcp-…`). */
export function parseAgentSession(name: string): string | undefined {
  const id = name.replace(/^reverie:mcp-/, "mcp_")
  return isAgentSession(id) ? id : undefined
}

/** The agent's session that an operation belongs to; null for other operations. */
export function sessionOfOperation(operation: string): string | null {
  const [session = ""] = operation.split("-", 1)
  return session !== operation && isAgentSession(session) ? session : null
}
