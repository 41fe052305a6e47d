import { resolve } from "node:path"
import type { Clock } from "../../base/clock.ts"
import type { Environment } from "../../config/environment.ts"
import type { Paths } from "../../config/paths.ts"
import { hookEvents } from "../hooks/answer-hook.ts"
import type { HookTool } from "../hooks/dialect.ts"
import { hookCommand } from "./hook-command.ts"
import type { WantedHooks } from "./settings/json-hooks.ts"
import type { SettingsFile } from "./settings/settings-file.ts"

/** The installation that tools are connected to. */
export interface ConnectHost {
  env: Environment
  /** The program that hooks run. */
  hookProgram: string
  /** The command that does the same without curl: Node and a script. */
  nodeHook: readonly string[]
  socket: string
  /** How to run `reverie`: a program and its first arguments, with absolute paths. */
  reverie: readonly [string, ...string[]]
}

/** What connecting and disconnecting needs. */
export interface ConnectSetup {
  clock: Clock
  paths: Paths
  host: ConnectHost
}

/** What the user wants to connect. */
export interface ConnectRequest {
  /** The project's folder; undefined for all projects of the user. */
  project?: string | undefined
  /** Also register the MCP server. */
  mcp: boolean
  /** The URL and token for Claude Code's HTTP hooks; undefined for hooks that run the program. */
  http?: { url: string; token: string } | undefined
}

/** How a tool wants slash commands written, and where below its folder. */
export interface CommandForm {
  file(name: string): string
  text(command: { name: string; description: string; body: string }): string
}

/** A tool that can be connected. */
export interface Connectable {
  tool: HookTool
  name: string
  /** The program that starts it. */
  program: string
  /** The folder of the user's settings; it exists if the tool is in use. */
  folder(env: Environment): string
  commands: CommandForm
  /** The settings files that a request changes. */
  settings(host: ConnectHost, request: ConnectRequest): SettingsFile[]
  /** Every settings file that may contain entries of ours, if that is more than a request with `mcp` changes. */
  allSettings?(host: ConnectHost, project: string | undefined): SettingsFile[]
  /** What the user must still do before the tool uses its settings; `called` if its hooks ran since. */
  pendingStep?(host: ConnectHost, project: string | undefined, called: boolean): string | undefined
  /** What the user should know after connecting. */
  notes?(request: ConnectRequest): string[]
}

/** Hooks that run the program, for every event of a tool. */
export function commandHooks(
  { hookProgram }: ConnectHost,
  tool: HookTool,
  more: { timeout: number; name?: string },
): WantedHooks {
  return hookEvents(tool).map((event) => ({
    event,
    handler: { type: "command", command: hookCommand(hookProgram, tool, event), ...more },
  }))
}

/** How a tool starts our MCP server. */
export function mcpServer({ reverie, env }: ConnectHost) {
  const [command, ...args] = reverie
  return { command, args: [...args, "mcp"], env: reverieVariables(env) }
}

/** Variables that `reverie` needs when a tool starts it: only a home other than the default. */
export function reverieVariables({ home }: Environment): Record<string, string> {
  return home === undefined ? {} : { REVERIE_HOME: resolve(home) }
}
