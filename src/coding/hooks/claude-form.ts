import { z } from "zod"
import type { SessionEvent } from "../../recall/types.ts"
import { fieldsOf, filesInPatch, namedFiles } from "../sessions/tool-call.ts"
import { bounded, type HookDialect, type HookMessage, type HookTool, sessionOf } from "./dialect.ts"

/** The hook input of Claude Code and of the tools that copied its format. */
const inputSchema = z.object({
  session_id: z.string().min(1),
  cwd: z.string().min(1).nullish(),
  /** Set for a subagent, which is not the user's session. */
  agent_id: z.string().nullish(),
  /** How a session starts: startup, resume, clear or compact. */
  source: z.string().nullish(),
  prompt: z.string().nullish(),
  last_assistant_message: z.string().nullish(),
  prompt_response: z.string().nullish(),
  tool_name: z.string().nullish(),
  tool_input: z.unknown().optional(),
  tool_response: z.unknown().optional(),
  /** The error of a tool that failed. */
  error: z.unknown().optional(),
})
export type ClaudeInput = z.infer<typeof inputSchema>

/** What an event means: the session started or ended, or something happened in it. */
type EventMeaning = "started" | "ended" | ((input: ClaudeInput) => SessionEvent | undefined)

/**
 * The dialect of a tool with Claude Code's format: the meaning of its events, the events that accept a text for the
 * agent, and the answer that denies a tool call.
 */
export function claudeDialect(
  tool: HookTool,
  meanings: Readonly<Record<string, EventMeaning>>,
  takesContext: readonly string[],
  deny: (event: string, reason: string) => object = denyCall,
): HookDialect {
  const known = new Map(Object.entries(meanings))
  return {
    events: [...known.keys()],
    read: (event, input) => readInput(tool, known.get(event), input),
    answer(event, additionalContext) {
      if (known.get(event) === toolCalled) return deny(event, additionalContext)
      if (!takesContext.includes(event)) return undefined
      return { hookSpecificOutput: { hookEventName: event, additionalContext } }
    },
  }
}

/** Reads a hook input; undefined if it has another form or comes from a subagent. */
function readInput(
  tool: HookTool,
  meaning: EventMeaning | undefined,
  input: unknown,
): HookMessage | undefined {
  const parsed = inputSchema.safeParse(input)
  if (!parsed.success || meaning === undefined || parsed.data.agent_id) return undefined
  const session = sessionOf(tool, parsed.data.session_id, parsed.data.cwd ?? undefined)
  if (meaning === "ended") return { kind: meaning, session }
  if (meaning === "started")
    return { kind: meaning, session, how: parsed.data.source === "resume" ? "resumed" : "anew" }
  const happening = meaning(parsed.data)
  return happening && { kind: "happened", session, happening }
}

/** The answer that denies a tool call, with the reason. */
function denyCall(hookEventName: string, permissionDecisionReason: string): object {
  return { hookSpecificOutput: { hookEventName, permissionDecision: "deny", permissionDecisionReason } }
}

export function prompted({ prompt }: ClaudeInput): SessionEvent | undefined {
  return prompt ? { kind: "prompt", text: bounded(prompt) } : undefined
}

export function answered(text: string | null | undefined): SessionEvent | undefined {
  return text ? { kind: "output", text: bounded(text) } : undefined
}

/** A tool call that is about to run. */
export function toolCalled({ tool_name, tool_input }: ClaudeInput): SessionEvent | undefined {
  const text = callText(tool_input)
  return text === "" ? undefined : { kind: "call", name: tool_name ?? "", text: bounded(text) }
}

const proseFile = /\.(?:mdx?|markdown|txt|rst|adoc)$/i

/** The text of a call that may break a rule. Of prose files only the names count: prose may mention what is forbidden. */
export function callText(input: unknown): string {
  const files = filesIn(input)
  const isProse = files.length > 0 && files.every((file) => proseFile.test(file))
  return isProse ? files.join("\n") : inputText(input)
}

/** Every text in a tool's input, one per line: commands, contents, patches. */
export function inputText(input: unknown): string {
  if (typeof input === "string") return input
  if (typeof input !== "object" || input === null) return ""
  // The text that an edit replaces does not count.
  const parts = Object.entries(input).filter(([name]) => name !== "old_string" && name !== "oldString")
  return parts
    .map(([, value]) => inputText(value))
    .filter(Boolean)
    .join("\n")
}

/** The output or the error of a tool. */
export function toolUsed({ tool_name, tool_input, tool_response, error }: ClaudeInput): SessionEvent {
  const isError = error !== undefined && error !== null
  const files = filesIn(tool_input)
  return {
    kind: "tool",
    name: tool_name ?? "",
    text: bounded(textIn(isError ? error : tool_response)),
    input: bounded(inputText(tool_input)),
    isError,
    ...(files.length > 0 ? { files } : {}),
  }
}

/** The fields of a tool's answer that contain text, the best first. */
const textFields = ["stdout", "stderr", "output", "content", "text", "returnDisplay", "llmContent", "message"]

function textIn(value: unknown): string {
  if (typeof value === "string") return value
  if (Array.isArray(value)) return value.map(textIn).filter(Boolean).join("\n")
  if (typeof value !== "object" || value === null) return ""
  const fields = new Map(Object.entries(value))
  const texts = textFields.flatMap((name) => textIn(fields.get(name)) || [])
  // Gemini has the same text twice: for the model and for the user.
  const distinct = fields.has("returnDisplay") ? texts.slice(0, 1) : texts
  return distinct.length > 0 ? distinct.join("\n") : JSON.stringify(value)
}

const fileFields = ["file_path", "filePath", "path", "absolute_path", "notebook_path"]

/** The files in a tool's input, also those in a patch. */
export function filesIn(input: unknown): string[] {
  const fields = fieldsOf(input)
  const patched = ["command", "input", "patch"].flatMap((name) => filesInPatch(fields.get(name)))
  return namedFiles([...fileFields.map((name) => fields.get(name)), ...patched], 50)
}
