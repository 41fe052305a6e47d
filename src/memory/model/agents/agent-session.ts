/** An agent's session over MCP: all its operations begin with its id, which is how undo finds them. */

/** Whether a name is that of an agent's session. */
export function isAgentSession(name: string): boolean {
  return /^mcp_[0-9a-z]{8,40}$/.test(name)
}

/** The session that was named: by its own id, or as memories carry it (`reverie:mcp-…`). */
export function agentSessionNamed(name: string): string | undefined {
  const id = name.replace(/^reverie:mcp-/, "mcp_")
  return isAgentSession(id) ? id : undefined
}

/** The agent's session that an operation belongs to. */
export function agentSessionOf(operation: string): string | null {
  const [session = ""] = operation.split("-", 1)
  return session !== operation && isAgentSession(session) ? session : null
}
