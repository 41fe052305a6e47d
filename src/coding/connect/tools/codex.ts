import { existsSync } from "node:fs"
import { join } from "node:path"
import { tomlValues } from "../../../config/toml.ts"
import { hookEvents } from "../../hooks/answer-hook.ts"
import { toolHomes } from "../../tool-homes.ts"
import { type Connectable, type ConnectHost, commandHooks, mcpServer } from "../connectable.ts"
import { readText } from "../files.ts"
import { jsonHooks } from "../settings/json-hooks.ts"
import { jsonFile, tomlFile } from "../settings/settings-file.ts"
import { tomlHooks, tomlServer } from "../settings/toml-parts.ts"
import { codexTrust } from "./codex-trust.ts"
import { codexSkills } from "./slash-commands.ts"

/** In seconds; at the end of a session Codex allows at most three. */
const timeout = 2

/** Codex: hooks in hooks.json, or in config.toml if the user's hooks are there; the MCP server in config.toml. */
export const connectCodex: Connectable = {
  tool: "codex",
  name: "Codex",
  program: "codex",
  folder: (env) => toolHomes(env).codex,
  commands: codexSkills,
  settings(host, { project, mcp }) {
    const { json, toml } = filesOf(host, project)
    const hooks = commandHooks(host, "codex", { timeout })
    const server = mcp ? [tomlServer(mcpServer(host))] : []
    // Codex warns at every start if both files have hooks.
    if (!existsSync(json) && hasHooks(toml)) return [tomlFile(toml, [tomlHooks(hooks), ...server])]
    return [jsonFile(json, [jsonHooks(hooks)]), ...(mcp ? [tomlFile(toml, server)] : [])]
  },
  allSettings(host, project) {
    const { json, toml } = filesOf(host, project)
    const hooks = commandHooks(host, "codex", { timeout })
    const parts = [tomlHooks(hooks), tomlServer(mcpServer(host))]
    return [jsonFile(json, [jsonHooks(hooks)]), tomlFile(toml, parts)]
  },
  pendingStep(host, project, called) {
    const { toml: state } = filesOf(host, undefined)
    const { hooks, trusted } = codexTrust({ ...filesOf(host, project), state })
    // Hooks that called are trusted, even if the file does not say so.
    if (trusted === hooks || (called && trusted === 0)) return undefined
    const some = trusted === 0 ? "the hooks" : `${hooks - trusted} of ${hooks} hooks`
    return `Codex has not trusted ${some} yet: start \`codex\`, enter /hooks and trust Reverie's`
  },
}

function filesOf({ env }: ConnectHost, project: string | undefined): { json: string; toml: string } {
  const folder = project ? join(project, ".codex") : toolHomes(env).codex
  return { json: join(folder, "hooks.json"), toml: join(folder, "config.toml") }
}

/** Whether config.toml defines hooks. Its `hooks` table may also contain only the list of trusted ones. */
function hasHooks(file: string): boolean {
  const hooks = tomlValues(readText(file) ?? "")?.hooks
  if (typeof hooks !== "object" || hooks === null) return false
  const events = [...hookEvents("codex"), "PreToolUse", "PermissionRequest", "PreCompact", "PostCompact"]
  return Object.keys(hooks).some((name) => events.includes(name))
}
