import type { HookTool } from "../hooks/dialect.ts"
import type { Connectable } from "./connectable.ts"
import { connectClaudeCode } from "./tools/claude-code.ts"
import { connectCodex } from "./tools/codex.ts"
import { connectGeminiCli } from "./tools/gemini-cli.ts"
import { connectOpencode } from "./tools/opencode.ts"

/** Every tool that can be connected. */
export const connectables: Record<HookTool, Connectable> = {
  "claude-code": connectClaudeCode,
  codex: connectCodex,
  "gemini-cli": connectGeminiCli,
  opencode: connectOpencode,
}
