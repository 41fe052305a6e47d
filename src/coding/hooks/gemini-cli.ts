import { answered, type ClaudeInput, claudeDialect, prompted, toolToCome, toolUsed } from "./claude-form.ts"

const meanings = {
  SessionStart: "started",
  BeforeAgent: (input: ClaudeInput) => prompted({ ...input, prompt: ownWords(input.prompt ?? "") }),
  BeforeTool: toolToCome,
  AfterTool: toolFinished,
  AfterAgent: ({ prompt_response }: ClaudeInput) => answered(prompt_response),
  SessionEnd: "ended",
} as const

/** Gemini CLI's hooks: Claude Code's form under names of its own. */
export const geminiCli = claudeDialect(
  "gemini-cli",
  meanings,
  ["SessionStart", "BeforeAgent", "AfterTool"],
  (_, reason) => ({ decision: "deny", reason }),
)

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
