import { join } from "node:path"
import type { Environment } from "../../../config/environment.ts"
import { type Connectable, commandHooks, ownVariables } from "../connectable.ts"
import { jsonHooks } from "../settings/json-hooks.ts"
import { jsonServer } from "../settings/json-server.ts"
import { commentedJsonFile } from "../settings/settings-file.ts"
import { commandsLeftOut, geminiCommands, slashCommands } from "./slash-commands.ts"

/** In milliseconds. */
const timeout = 2000

/** Gemini CLI: hooks and the MCP server in settings.json. */
export const connectGeminiCli: Connectable = {
  tool: "gemini-cli",
  name: "Gemini CLI",
  program: "gemini",
  folder,
  files(world, wish) {
    const [command, ...args] = world.reverie
    const server = { command, args: [...args, "mcp"], env: ownVariables(world.env) }
    const parts = [
      jsonHooks(commandHooks(world, "gemini-cli", { timeout, name: "reverie" })),
      ...(wish.mcp ? [jsonServer(["mcpServers", "reverie"], server)] : []),
    ]
    const dir = wish.project ? join(wish.project, ".gemini") : folder(world.env)
    const commands = wish.project ? [] : slashCommands(world, folder(world.env), geminiCommands)
    return [commentedJsonFile(join(dir, "settings.json"), parts), ...commands]
  },
  everywhere: (world, project) => connectGeminiCli.files(world, { project, mcp: true }),
  notes: ({ env }, wish) => [
    ...(wish.project || wish.mcp ? ["Gemini CLI uses this only in folders that you have trusted."] : []),
    ...(wish.project ? [] : commandsLeftOut(folder(env), geminiCommands)),
  ],
}

function folder(env: Environment): string {
  return join(env.variable("GEMINI_CLI_HOME") ?? env.userHome, ".gemini")
}
