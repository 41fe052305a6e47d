import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Environment } from "../../../config/environment.ts"
import { type Connectable, ownVariables } from "../connectable.ts"
import { jsonServer } from "../settings/json-server.ts"
import { commentedJsonFile, ownFile } from "../settings/settings-file.ts"
import { pluginMark, pluginText } from "./opencode-plugin.ts"
import { commandsLeftOut, markdownCommands, slashCommands } from "./slash-commands.ts"

/** opencode: a plugin of ours in a folder it looks into, the MCP server in its configuration. */
export const connectOpencode: Connectable = {
  tool: "opencode",
  name: "opencode",
  program: "opencode",
  folder,
  files(world, wish) {
    const plugins = wish.project ? join(wish.project, ".opencode") : folder(world.env)
    const settings = wish.project ?? folder(world.env)
    const file = join(plugins, "plugin/reverie.js")
    const plugin = ownFile(file, pluginMark, pluginText(world.socket), "plugin")
    const command = [...world.reverie, "mcp"]
    const server = { type: "local", command, enabled: true, environment: ownVariables(world.env) }
    const servers = commentedJsonFile(configIn(settings), [jsonServer(["mcp", "reverie"], server)])
    const commands = wish.project ? [] : slashCommands(world, folder(world.env), markdownCommands)
    return [plugin, ...(wish.mcp ? [servers] : []), ...commands]
  },
  everywhere: (world, project) => connectOpencode.files(world, { project, mcp: true }),
  notes: ({ env }, wish) => (wish.project ? [] : commandsLeftOut(folder(env), markdownCommands)),
}

function folder(env: Environment): string {
  const given = env.variable("OPENCODE_CONFIG_DIR")
  return given ?? join(env.configHome ?? join(env.userHome, ".config"), "opencode")
}

function configIn(dir: string): string {
  const commented = join(dir, "opencode.jsonc")
  return existsSync(commented) ? commented : join(dir, "opencode.json")
}
