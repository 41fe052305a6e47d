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
  Stop: ({ last_assistant_message }: Parameters<typeof prompted>[0]) => answered(last_assistant_message),
  SessionEnd: "ended",
} as const

const takesContext = ["SessionStart", "UserPromptSubmit", "PostToolUse"]

/** Codex's hooks: Claude Code's form, with no field more than its schemas name. */
export const codex: HookDialect = {
  events: Object.keys(meanings),
  read: (event, input) => readClaudeForm("codex", new Map(Object.entries(meanings)).get(event), input),
  answer(event, text) {
    if (event === "PreToolUse") return holdClaudeForm(event, text)
    return takesContext.includes(event) ? answerClaudeForm(event, text) : undefined
  },
}
