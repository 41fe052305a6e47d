import { join } from "node:path"
import type { Environment } from "../config/environment.ts"

/** Variables that say where the user's tools have their files. */
export const toolHomeVariables = [
  "CLAUDE_CONFIG_DIR",
  "CODEX_HOME",
  "GEMINI_CLI_HOME",
  "PI_CODING_AGENT_DIR",
  "JCODE_HOME",
] as const

/** The folders of the user's tools, found by the same rules as the tools use. */
export function toolHomes(env: Environment) {
  const at = (variable: (typeof toolHomeVariables)[number], fallback: string) =>
    env.variable(variable) ?? join(env.userHome, fallback)
  return {
    claudeCode: at("CLAUDE_CONFIG_DIR", ".claude"),
    codex: at("CODEX_HOME", ".codex"),
    opencode: join(env.dataHome ?? join(env.userHome, ".local/share"), "opencode"),
    geminiCli: join(env.variable("GEMINI_CLI_HOME") ?? env.userHome, ".gemini"),
    pi: at("PI_CODING_AGENT_DIR", ".pi/agent"),
    jcode: at("JCODE_HOME", ".jcode"),
  }
}
