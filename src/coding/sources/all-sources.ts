import type { Environment } from "../../config/environment.ts"
import type { Config } from "../../config/schema.ts"
import type { Redact, SessionSource } from "../sessions/session-source.ts"
import { toolHomes } from "../tool-homes.ts"
import { claudeCodeSource } from "./claude-code.ts"
import { codexSource } from "./codex.ts"
import { geminiSource } from "./gemini-cli.ts"
import { jcodeSource } from "./jcode.ts"
import { opencodeSource } from "./opencode.ts"
import { piSource } from "./pi.ts"

/** The session sources that the configuration enables. */
export function sourcesFor(env: Environment, config: Config, redact: Redact): SessionSource[] {
  if (!config.sessions.enabled) return []
  const homes = toolHomes(env)
  const all = [
    claudeCodeSource(homes.claudeCode, redact),
    codexSource(homes.codex, redact),
    opencodeSource(homes.opencode, redact),
    geminiSource(homes.geminiCli, redact),
    piSource(homes.pi, redact),
    jcodeSource(homes.jcode, redact),
  ]
  const wanted: readonly string[] = config.sessions.tools
  return all.filter(({ tool }) => wanted.includes(tool))
}
