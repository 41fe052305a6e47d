import {
  answerClaudeForm,
  answered,
  holdClaudeForm,
  prompted,
  readClaudeForm,
  toolToCome,
  toolUsed,
} from "./claude-form.ts"
import type { HookDialect } from "./dialect.ts"

const meanings = {
  SessionStart: "started",
  UserPromptSubmit: prompted,
  PreToolUse: toolToCome,
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
  answer(event, text) {
    if (event === "PreToolUse") return holdClaudeForm(event, text)
    return takesContext.includes(event) ? answerClaudeForm(event, text) : undefined
  },
}
