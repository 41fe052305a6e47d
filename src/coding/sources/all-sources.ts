import type { Environment } from "../../config/environment.ts"
import type { Config } from "../../config/schema.ts"
import type { SessionSource, SourceNeeds } from "../sessions/session-source.ts"
import { toolHomes } from "../tool-homes.ts"
import { claudeCodeSource } from "./claude-code.ts"
import { codexSource } from "./codex.ts"
import { geminiSource } from "./gemini-cli.ts"
import { jcodeSource } from "./jcode.ts"
import { opencodeSource } from "./opencode.ts"
import { piSource } from "./pi.ts"

/** The sessions that may be read on this machine. */
export function sourcesFor(env: Environment, config: Config, needs: SourceNeeds): SessionSource[] {
  if (!config.sessions.enabled) return []
  const homes = toolHomes(env)
  const all = [
    claudeCodeSource(homes.claudeCode, needs),
    codexSource(homes.codex, needs),
    opencodeSource(homes.opencode, needs),
    geminiSource(homes.geminiCli, needs),
    piSource(homes.pi, needs),
    jcodeSource(homes.jcode, needs),
  ]
  const wanted: readonly string[] = config.sessions.tools
  return all.filter(({ tool }) => wanted.includes(tool))
}
