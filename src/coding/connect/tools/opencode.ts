import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Environment } from "../../../config/environment.ts"
import { connectAsset } from "../asset.ts"
import { type Connectable, mcpServer } from "../connectable.ts"
import { jsonServer } from "../settings/json-server.ts"
import { commentedJsonFile, ownFile } from "../settings/settings-file.ts"
import { markdownCommands } from "./slash-commands.ts"

/** The first line of our plugin, by which it is recognised. */
const pluginMark = "// Reverie's plugin for opencode, written by `reverie connect opencode`."

/** opencode: a plugin in a folder that it loads plugins from, and the MCP server in its configuration. */
export const connectOpencode: Connectable = {
  tool: "opencode",
  name: "opencode",
  program: "opencode",
  folder,
  commands: markdownCommands,
  settings(host, { project, mcp }) {
    const plugins = project ? join(project, ".opencode") : folder(host.env)
    const text = connectAsset("opencode-plugin.js", { '"@SOCKET@"': JSON.stringify(host.socket) })
    const plugin = ownFile(join(plugins, "plugin/reverie.js"), pluginMark, text, "plugin")
    const { command, args, env: environment } = mcpServer(host)
    const server = { type: "local", command: [command, ...args], enabled: true, environment }
    const servers = commentedJsonFile(configIn(project ?? folder(host.env)), [
      jsonServer(["mcp", "reverie"], server),
    ])
    return [plugin, ...(mcp ? [servers] : [])]
  },
}

function folder(env: Environment): string {
  const custom = env.variable("OPENCODE_CONFIG_DIR")
  return custom ?? join(env.configHome ?? join(env.userHome, ".config"), "opencode")
}

function configIn(dir: string): string {
  const commented = join(dir, "opencode.jsonc")
  return existsSync(commented) ? commented : join(dir, "opencode.json")
}
