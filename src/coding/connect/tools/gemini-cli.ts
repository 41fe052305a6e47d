import { join } from "node:path"
import { toolHomes } from "../../tool-homes.ts"
import { type Connectable, commandHooks, mcpServer } from "../connectable.ts"
import { jsonHooks } from "../settings/json-hooks.ts"
import { jsonServer } from "../settings/json-server.ts"
import { commentedJsonFile } from "../settings/settings-file.ts"
import { geminiCommands } from "./slash-commands.ts"

/** In milliseconds. */
const timeout = 2000

/** Gemini CLI: hooks and the MCP server in settings.json. */
export const connectGeminiCli: Connectable = {
  tool: "gemini-cli",
  name: "Gemini CLI",
  program: "gemini",
  folder: (env) => toolHomes(env).geminiCli,
  commands: geminiCommands,
  settings(host, { project, mcp }) {
    const hooks = jsonHooks(commandHooks(host, "gemini-cli", { timeout, name: "reverie" }))
    const servers = mcp ? [jsonServer(["mcpServers", "reverie"], mcpServer(host))] : []
    const folder = project ? join(project, ".gemini") : toolHomes(host.env).geminiCli
    return [commentedJsonFile(join(folder, "settings.json"), [hooks, ...servers])]
  },
  notes: ({ project, mcp }) =>
    project || mcp ? ["Gemini CLI uses this only in folders that you have trusted."] : [],
}
