import { claudeMeanings } from "./claude-code.ts"
import { claudeDialect } from "./claude-form.ts"

/** Codex's hooks: Claude Code's form, with no field more than its schemas name. */
export const codex = claudeDialect("codex", claudeMeanings, [
  "SessionStart",
  "UserPromptSubmit",
  "PostToolUse",
])
