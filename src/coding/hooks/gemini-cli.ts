import {
  answerClaudeForm,
  answered,
  type ClaudeInput,
  prompted,
  readClaudeForm,
  toolToCome,
  toolUsed,
} from "./claude-form.ts"
import type { HookDialect } from "./dialect.ts"

const meanings = {
  SessionStart: "started",
  BeforeAgent: (input: ClaudeInput) => prompted({ ...input, prompt: ownWords(input.prompt ?? "") }),
  BeforeTool: toolToCome,
  AfterTool: toolFinished,
  AfterAgent: ({ prompt_response }: ClaudeInput) => answered(prompt_response),
  SessionEnd: "ended",
} as const

const takesContext = ["SessionStart", "BeforeAgent", "AfterTool"]

/** Gemini CLI's hooks: Claude Code's form under names of its own. */
export const geminiCli: HookDialect = {
  events: Object.keys(meanings),
  read: (event, input) => readClaudeForm("gemini-cli", new Map(Object.entries(meanings)).get(event), input),
  answer(event, text) {
    if (event === "BeforeTool") return { decision: "deny", reason: text }
    return takesContext.includes(event) ? answerClaudeForm(event, text) : undefined
  },
}

/** What the user said: Gemini CLI puts what hooks gave at the session's start into the first prompt. */
function ownWords(prompt: string): string {
  return prompt.replaceAll(/<hook_context>[\s\S]*?<\/hook_context>\s*/g, "").trim()
}

/** A tool that failed says so inside its response. */
function toolFinished(input: ClaudeInput) {
  const response = input.tool_response
  const error =
    typeof response === "object" && response !== null && "error" in response ? response.error : null
  return toolUsed({ ...input, error })
}
