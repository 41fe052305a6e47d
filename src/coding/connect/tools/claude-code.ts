import { join } from "node:path"
import { toolHomes } from "../../tool-homes.ts"
import {
  type Connectable,
  type ConnectHost,
  type ConnectRequest,
  commandHooks,
  mcpServer,
} from "../connectable.ts"
import { jsonHooks, type WantedHooks } from "../settings/json-hooks.ts"
import { jsonServer } from "../settings/json-server.ts"
import { jsonFile } from "../settings/settings-file.ts"
import { claudeCommands } from "./slash-commands.ts"

/** In seconds; longer than the hook program ever takes. */
const timeout = 2

/** Claude Code: hooks in settings.json, the MCP server where `claude mcp add` writes it. */
export const connectClaudeCode: Connectable = {
  tool: "claude-code",
  name: "Claude Code",
  program: "claude",
  folder: (env) => toolHomes(env).claudeCode,
  commands: claudeCommands,
  settings(host, request) {
    const { env } = host
    const settings = request.project
      ? join(request.project, ".claude/settings.local.json")
      : join(toolHomes(env).claudeCode, "settings.json")
    const state = join(env.variable("CLAUDE_CONFIG_DIR") ?? env.userHome, ".claude.json")
    const servers = request.mcp ? [jsonFile(state, [serverPart(host, request)])] : []
    return [jsonFile(settings, [jsonHooks(hooks(host, request))]), ...servers]
  },
  notes: ({ http }) =>
    http
      ? ["Over HTTP Claude Code shows an error line after each turn while the daemon is not running."]
      : [],
}

function hooks(host: ConnectHost, { http }: ConnectRequest): WantedHooks {
  const byProgram = commandHooks(host, "claude-code", { timeout })
  if (http === undefined) return byProgram
  return byProgram.map(({ event, handler }) => {
    // Claude Code makes no HTTP call when a session starts.
    if (event === "SessionStart") return { event, handler }
    const url = `${http.url}/v1/hooks/claude-code/${event}`
    const headers = { Authorization: `Bearer ${http.token}` }
    return { event, handler: { type: "http", url, headers, timeout } }
  })
}

function serverPart(host: ConnectHost, { project }: ConnectRequest) {
  const path = project ? ["projects", project, "mcpServers", "reverie"] : ["mcpServers", "reverie"]
  return jsonServer(path, { type: "stdio", ...mcpServer(host) })
}
