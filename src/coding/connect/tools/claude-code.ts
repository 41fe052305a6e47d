import { join } from "node:path"
import type { Environment } from "../../../config/environment.ts"
import { type Connectable, type ConnectWorld, commandHooks, ownVariables, type Wish } from "../connectable.ts"
import { jsonHooks, type WantedHooks } from "../settings/json-hooks.ts"
import { jsonServer } from "../settings/json-server.ts"
import { jsonFile } from "../settings/settings-file.ts"
import { claudeCommands, commandsLeftOut, slashCommands } from "./slash-commands.ts"

/** Longer than the program ever takes; in seconds. */
const timeout = 2

/** Claude Code: hooks in settings.json, the MCP server where `claude mcp add` puts it. */
export const connectClaudeCode: Connectable = {
  tool: "claude-code",
  name: "Claude Code",
  program: "claude",
  folder,
  files(world, wish) {
    const settings = wish.project
      ? join(wish.project, ".claude/settings.local.json")
      : join(folder(world.env), "settings.json")
    const servers = jsonFile(stateFile(world.env), [server(world, wish)])
    const commands = wish.project ? [] : slashCommands(world, folder(world.env), claudeCommands)
    return [jsonFile(settings, [jsonHooks(hooks(world, wish))]), ...(wish.mcp ? [servers] : []), ...commands]
  },
  everywhere: (world, project) => connectClaudeCode.files(world, { project, mcp: true }),
  notes: ({ env }, wish) => [
    ...(wish.http
      ? ["Over HTTP Claude Code shows an error line after each turn while the daemon is not running."]
      : []),
    ...(wish.project ? [] : commandsLeftOut(folder(env), claudeCommands)),
  ],
}

function folder(env: Environment): string {
  return env.variable("CLAUDE_CONFIG_DIR") ?? join(env.userHome, ".claude")
}

/** Where Claude Code keeps what it knows, MCP servers among it. */
function stateFile(env: Environment): string {
  return join(env.variable("CLAUDE_CONFIG_DIR") ?? env.userHome, ".claude.json")
}

function hooks(world: ConnectWorld, { http }: Wish): WantedHooks {
  const byProgram = commandHooks(world, "claude-code", { timeout })
  if (http === undefined) return byProgram
  return byProgram.map(({ event, handler }) => {
    // It does not ask over HTTP when a session starts.
    if (event === "SessionStart") return { event, handler }
    const url = `${http.url}/v1/hooks/claude-code/${event}`
    const headers = { Authorization: `Bearer ${http.token}` }
    return { event, handler: { type: "http", url, headers, timeout } }
  })
}

function server({ reverie, env }: ConnectWorld, { project }: Wish) {
  const [command, ...args] = reverie
  const path = project ? ["projects", project, "mcpServers", "reverie"] : ["mcpServers", "reverie"]
  return jsonServer(path, { type: "stdio", command, args: [...args, "mcp"], env: ownVariables(env) })
}
