import { answered, type ClaudeInput, claudeDialect, prompted, toolCalled, toolUsed } from "./claude-form.ts"

/** The meaning of the events that Claude Code and Codex share. */
const meanings = {
  SessionStart: "started",
  UserPromptSubmit: prompted,
  PreToolUse: toolCalled,
  PostToolUse: toolUsed,
  Stop: ({ last_assistant_message }: ClaudeInput) => answered(last_assistant_message),
  SessionEnd: "ended",
} as const

/** Claude Code's hooks. */
export const claudeCode = claudeDialect("claude-code", { ...meanings, PostToolUseFailure: toolUsed }, [
  "SessionStart",
  "UserPromptSubmit",
  "PostToolUse",
  "PostToolUseFailure",
])

/** Codex's hooks: Claude Code's format, with only the fields that Codex's schemas name. */
export const codex = claudeDialect("codex", meanings, ["SessionStart", "UserPromptSubmit", "PostToolUse"])
