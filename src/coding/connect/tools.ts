import type { HookTool } from "../hooks/dialect.ts"
import { connectClaudeCode } from "./claude-code.ts"
import { connectCodex } from "./codex.ts"
import type { Connectable } from "./connectable.ts"
import { connectGeminiCli } from "./gemini-cli.ts"
import { connectOpencode } from "./opencode.ts"

/** Every tool that can be connected. */
export const connectables: Record<HookTool, Connectable> = {
  "claude-code": connectClaudeCode,
  codex: connectCodex,
  "gemini-cli": connectGeminiCli,
  opencode: connectOpencode,
}
