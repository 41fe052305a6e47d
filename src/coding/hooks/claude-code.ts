import { answerClaudeForm, answered, prompted, readClaudeForm, toolUsed } from "./claude-form.ts"
import type { HookDialect } from "./dialect.ts"

const meanings = {
  SessionStart: "started",
  UserPromptSubmit: prompted,
  PostToolUse: toolUsed,
  PostToolUseFailure: toolUsed,
  Stop: ({ last_assistant_message }: Parameters<typeof prompted>[0]) => answered(last_assistant_message),
  SessionEnd: "ended",
} as const

/** Where a text can be put before the agent. */
const takesContext = ["SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure"]

/** Claude Code's hooks. */
export const claudeCode: HookDialect = {
  events: Object.keys(meanings),
  read: (event, input) => readClaudeForm("claude-code", new Map(Object.entries(meanings)).get(event), input),
  answer: (event, text) => (takesContext.includes(event) ? answerClaudeForm(event, text) : undefined),
}
