import type { HookTool } from "../hooks/dialect.ts"
import type { Connectable, ConnectHost, ConnectRequest } from "./connectable.ts"
import type { SettingsFile } from "./settings/settings-file.ts"
import { connectClaudeCode } from "./tools/claude-code.ts"
import { connectCodex } from "./tools/codex.ts"
import { connectGeminiCli } from "./tools/gemini-cli.ts"
import { connectOpencode } from "./tools/opencode.ts"
import { skippedCommands, slashCommands } from "./tools/slash-commands.ts"

/** Every tool that can be connected. */
export const connectables: Record<HookTool, Connectable> = {
  "claude-code": connectClaudeCode,
  codex: connectCodex,
  "gemini-cli": connectGeminiCli,
  opencode: connectOpencode,
}

/** The files that a request changes. Slash commands are written for the user, not for single projects. */
export function filesToConnect(
  tool: Connectable,
  host: ConnectHost,
  request: ConnectRequest,
): SettingsFile[] {
  return [...tool.settings(host, request), ...commandFiles(tool, host, request.project)]
}

/** Every file that may contain entries of ours. */
export function connectedFiles(
  tool: Connectable,
  host: ConnectHost,
  project: string | undefined,
): SettingsFile[] {
  const settings = tool.allSettings?.(host, project) ?? tool.settings(host, { project, mcp: true })
  return [...settings, ...commandFiles(tool, host, project)]
}

function commandFiles(
  { folder, commands }: Connectable,
  host: ConnectHost,
  project: string | undefined,
): SettingsFile[] {
  return project ? [] : slashCommands(host, folder(host.env), commands)
}

/** What the user should know after connecting a tool. */
export function notesAfter(
  { folder, commands, notes }: Connectable,
  { env }: ConnectHost,
  request: ConnectRequest,
): string[] {
  return [...(notes?.(request) ?? []), ...(request.project ? [] : skippedCommands(folder(env), commands))]
}
