import { answered, type ClaudeInput, claudeDialect, prompted, toolCalled, toolUsed } from "./claude-form.ts"

const meanings = {
  SessionStart: "started",
  BeforeAgent: (input: ClaudeInput) => prompted({ ...input, prompt: userPrompt(input.prompt ?? "") }),
  BeforeTool: toolCalled,
  AfterTool: toolFinished,
  AfterAgent: ({ prompt_response }: ClaudeInput) => answered(prompt_response),
  SessionEnd: "ended",
} as const

/** Gemini CLI's hooks: Claude Code's format with other event names. */
export const geminiCli = claudeDialect(
  "gemini-cli",
  meanings,
  ["SessionStart", "BeforeAgent", "AfterTool"],
  (_, reason) => ({ decision: "deny", reason }),
)

/** The user's text: Gemini CLI adds the output of hooks at the session's start to the first prompt. */
function userPrompt(prompt: string): string {
  return prompt.replaceAll(/<hook_context>[\s\S]*?<\/hook_context>\s*/g, "").trim()
}

/** Moves the error of a failed tool out of its response. */
function toolFinished(input: ClaudeInput) {
  const response = input.tool_response
  const error =
    typeof response === "object" && response !== null && "error" in response ? response.error : null
  return toolUsed({ ...input, error })
}
