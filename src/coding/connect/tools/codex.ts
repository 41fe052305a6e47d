import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Environment } from "../../../config/environment.ts"
import { parseToml } from "../../../config/toml.ts"
import { hookEvents } from "../../hooks/answer-hook.ts"
import { type Connectable, type ConnectWorld, commandHooks, ownVariables } from "../connectable.ts"
import { jsonHooks } from "../settings/json-hooks.ts"
import { jsonFile, type SettingsFile, tomlFile } from "../settings/settings-file.ts"
import { tomlHooks, tomlServer } from "../settings/toml-parts.ts"
import { codexTrust } from "./codex-trust.ts"
import { codexSkills, commandsLeftOut, slashCommands } from "./slash-commands.ts"

/** In seconds; at a session's end Codex allows three at most. */
const timeout = 2

/** Codex: hooks in hooks.json, or in config.toml where the user has theirs; the MCP server in config.toml. */
export const connectCodex: Connectable = {
  tool: "codex",
  name: "Codex",
  program: "codex",
  folder,
  files(world, wish) {
    const { json, toml } = filesOf(world, wish.project)
    const hooks = commandHooks(world, "codex", { timeout })
    const server = wish.mcp ? [serverPart(world)] : []
    const skills = skillsIn(world, wish.project)
    // Codex warns at every start where hooks stand in both.
    if (!existsSync(json) && hasHooks(toml)) return [tomlFile(toml, [tomlHooks(hooks), ...server]), ...skills]
    return [jsonFile(json, [jsonHooks(hooks)]), ...(wish.mcp ? [tomlFile(toml, server)] : []), ...skills]
  },
  everywhere(world, project) {
    const { json, toml } = filesOf(world, project)
    const hooks = commandHooks(world, "codex", { timeout })
    const settings = tomlFile(toml, [tomlHooks(hooks), serverPart(world)])
    return [jsonFile(json, [jsonHooks(hooks)]), settings, ...skillsIn(world, project)]
  },
  waitsFor(world, project, called) {
    const { hooks, trusted } = codexTrust({
      ...filesOf(world, project),
      state: join(folder(world.env), "config.toml"),
    })
    // One that calls is trusted in a way that is not noted there.
    if (trusted === hooks || (called && trusted === 0)) return undefined
    const some = trusted === 0 ? "the hooks" : `${hooks - trusted} of ${hooks} hooks`
    return `Codex has not trusted ${some} yet: start \`codex\`, enter /hooks and trust Reverie's`
  },
  notes: ({ env }, wish) => [...(wish.project ? [] : commandsLeftOut(folder(env), codexSkills))],
}

function skillsIn(world: ConnectWorld, project: string | undefined): SettingsFile[] {
  return project ? [] : slashCommands(world, folder(world.env), codexSkills)
}

function folder(env: Environment): string {
  return env.variable("CODEX_HOME") ?? join(env.userHome, ".codex")
}

function filesOf({ env }: ConnectWorld, project: string | undefined): { json: string; toml: string } {
  const dir = project ? join(project, ".codex") : folder(env)
  return { json: join(dir, "hooks.json"), toml: join(dir, "config.toml") }
}

/** Whether hooks stand in config.toml; Codex also keeps there which hooks are trusted, which says nothing. */
function hasHooks(file: string): boolean {
  if (!existsSync(file)) return false
  const parsed = parseToml(readFileSync(file, "utf8"))
  const hooks = "file" in parsed ? parsed.file.values.hooks : undefined
  if (typeof hooks !== "object" || hooks === null) return false
  const events = [...hookEvents("codex"), "PreToolUse", "PermissionRequest", "PreCompact", "PostCompact"]
  return Object.keys(hooks).some((name) => events.includes(name))
}

function serverPart({ reverie, env }: ConnectWorld) {
  const [command, ...args] = reverie
  return tomlServer(command, [...args, "mcp"], ownVariables(env))
}
