import { resolve } from "node:path"
import type { Environment } from "../../config/environment.ts"
import { hookEvents } from "../hooks/answer-hook.ts"
import type { HookTool } from "../hooks/dialect.ts"
import { hookCommand } from "./hook-command.ts"
import type { Handler, WantedHooks } from "./settings/json-hooks.ts"
import type { SettingsFile } from "./settings/settings-file.ts"

/** What a connection is made of on this machine. */
export interface ConnectWorld {
  env: Environment
  /** The program that hooks run. */
  hookProgram: string
  socket: string
  /** How to run `reverie`: a program and its first arguments, with whole paths. */
  reverie: readonly [string, ...string[]]
}

/** What the user wants connected. */
export interface Wish {
  /** The folder of a project, where only that is meant. */
  project?: string | undefined
  /** The MCP server as well. */
  mcp: boolean
  /** Where Claude Code is to ask over HTTP, and with which token; by the program otherwise. */
  http?: { url: string; token: string } | undefined
}

/** A tool that can be connected. */
export interface Connectable {
  tool: HookTool
  name: string
  /** The program that people start it with. */
  program: string
  /** The folder that says by being there that the tool is used. */
  folder(env: Environment): string
  files(world: ConnectWorld, wish: Wish): SettingsFile[]
  /** Every file in which something of ours may stand, with all of it. */
  everywhere(world: ConnectWorld, project: string | undefined): SettingsFile[]
  /** What keeps the tool from using what stands in its settings, as far as it can be read; `called` if it did since. */
  waitsFor?(world: ConnectWorld, project: string | undefined, called: boolean): string | undefined
  /** What the user has to know or do. */
  notes(world: ConnectWorld, wish: Wish): string[]
}

/** Hooks by the program, for every event of a tool. */
export function commandHooks(
  { hookProgram }: ConnectWorld,
  tool: HookTool,
  more: { timeout: number; name?: string },
): WantedHooks {
  return hookEvents(tool).map((event) => {
    const handler: Handler = { type: "command", command: hookCommand(hookProgram, tool, event), ...more }
    return { event, handler }
  })
}

/** Variables our programs need when a tool starts them: another home than the usual one. */
export function ownVariables({ home }: Environment): Record<string, string> {
  return home === undefined ? {} : { REVERIE_HOME: resolve(home) }
}
