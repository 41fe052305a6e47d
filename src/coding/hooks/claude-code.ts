import { answered, type ClaudeInput, claudeDialect, prompted, toolToCome, toolUsed } from "./claude-form.ts"

/** What the events mean that Claude Code and Codex both have. */
export const claudeMeanings = {
  SessionStart: "started",
  UserPromptSubmit: prompted,
  PreToolUse: toolToCome,
  PostToolUse: toolUsed,
  Stop: ({ last_assistant_message }: ClaudeInput) => answered(last_assistant_message),
  SessionEnd: "ended",
} as const

/** Claude Code's hooks. */
export const claudeCode = claudeDialect("claude-code", { ...claudeMeanings, PostToolUseFailure: toolUsed }, [
  "SessionStart",
  "UserPromptSubmit",
  "PostToolUse",
  "PostToolUseFailure",
])
