import { z } from "zod"
import type { Happening } from "../../recall/types.ts"
import { bounded, type HookDialect, type HookTool, sessionOf, type Told } from "./dialect.ts"

/** What Claude Code's hooks, and all that were made after them, have in common. */
const inputSchema = z.object({
  session_id: z.string().min(1),
  cwd: z.string().min(1).nullish(),
  /** Set where a subagent is meant; its talk is not the user's session. */
  agent_id: z.string().nullish(),
  /** How a session starts: startup, resume, clear or compact. */
  source: z.string().nullish(),
  prompt: z.string().nullish(),
  last_assistant_message: z.string().nullish(),
  prompt_response: z.string().nullish(),
  tool_name: z.string().nullish(),
  tool_input: z.unknown().optional(),
  tool_response: z.unknown().optional(),
  /** What went wrong, where a tool failed. */
  error: z.unknown().optional(),
})
export type ClaudeInput = z.infer<typeof inputSchema>

/** What an event of this form means: it begins, it ends, or something happened. */
type Meaning = "started" | "ended" | ((input: ClaudeInput) => Happening | undefined)

/**
 * The hooks of a tool that speaks Claude's form: what its events mean, which of them take a text for the agent, and what
 * it is told to hold a call.
 */
export function claudeDialect(
  tool: HookTool,
  meanings: Readonly<Record<string, Meaning>>,
  takesContext: readonly string[],
  hold: (event: string, reason: string) => object = holdCall,
): HookDialect {
  const known = new Map(Object.entries(meanings))
  return {
    events: [...known.keys()],
    read: (event, input) => readInput(tool, known.get(event), input),
    answer(event, additionalContext) {
      if (known.get(event) === toolToCome) return hold(event, additionalContext)
      if (!takesContext.includes(event)) return undefined
      return { hookSpecificOutput: { hookEventName: event, additionalContext } }
    },
  }
}

/** Reads an input of Claude's form; undefined where it is none, or of a subagent. */
function readInput(tool: HookTool, meaning: Meaning | undefined, input: unknown): Told | undefined {
  const parsed = inputSchema.safeParse(input)
  if (!parsed.success || meaning === undefined || parsed.data.agent_id) return undefined
  const session = sessionOf(tool, parsed.data.session_id, parsed.data.cwd ?? undefined)
  if (meaning === "ended") return { kind: meaning, session }
  if (meaning === "started")
    return { kind: meaning, session, how: parsed.data.source === "resume" ? "resumed" : "anew" }
  const happening = meaning(parsed.data)
  return happening && { kind: "happened", session, happening }
}

/** The answer that holds a tool call, with the reason for it. */
function holdCall(hookEventName: string, permissionDecisionReason: string): object {
  return { hookSpecificOutput: { hookEventName, permissionDecision: "deny", permissionDecisionReason } }
}

export function prompted({ prompt }: ClaudeInput): Happening | undefined {
  return prompt ? { kind: "prompt", text: bounded(prompt) } : undefined
}

export function answered(text: string | null | undefined): Happening | undefined {
  return text ? { kind: "output", text: bounded(text) } : undefined
}

/** What a tool is about to be given. */
export function toolToCome({ tool_name, tool_input }: ClaudeInput): Happening | undefined {
  const text = callText(tool_input)
  return text === "" ? undefined : { kind: "call", name: tool_name ?? "", text: bounded(text) }
}

const proseForm = /\.(?:mdx?|markdown|txt|rst|adoc)$/i

/** By which words a call may break a rule. Whoever writes prose may write about what is forbidden. */
export function callText(input: unknown): string {
  const files = filesIn(input)
  const isProse = files.length > 0 && files.every((file) => proseForm.test(file))
  return isProse ? files.join("\n") : inputText(input)
}

/** Every text in what a tool is given, a line each: commands, contents, patches. */
export function inputText(input: unknown): string {
  if (typeof input === "string") return input
  if (typeof input !== "object" || input === null) return ""
  // What is replaced is no longer there afterwards.
  const parts = Object.entries(input).filter(([name]) => name !== "old_string" && name !== "oldString")
  return parts
    .map(([, value]) => inputText(value))
    .filter(Boolean)
    .join("\n")
}

/** What a tool said, or why it failed. */
export function toolUsed({ tool_name, tool_input, tool_response, error }: ClaudeInput): Happening {
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

/** The fields in which tools' answers have their text, the best first. */
const textFields = ["stdout", "stderr", "output", "content", "text", "returnDisplay", "llmContent", "message"]

function textIn(value: unknown): string {
  if (typeof value === "string") return value
  if (Array.isArray(value)) return value.map(textIn).filter(Boolean).join("\n")
  if (typeof value !== "object" || value === null) return ""
  const fields = new Map(Object.entries(value))
  const texts = textFields.flatMap((name) => textIn(fields.get(name)) || [])
  // Gemini gives the same text twice, once for the model and once for people.
  const told = fields.has("returnDisplay") ? texts.slice(0, 1) : texts
  return told.length > 0 ? told.join("\n") : JSON.stringify(value)
}

const fileFields = ["file_path", "filePath", "path", "absolute_path", "notebook_path"]

/** The files a tool was called for, also those named in a patch. */
export function filesIn(input: unknown): string[] {
  if (typeof input !== "object" || input === null) return []
  const fields = new Map<string, unknown>(Object.entries(input))
  const named = fileFields.map((name) => fields.get(name))
  const patch = [fields.get("command"), fields.get("input"), fields.get("patch")].flatMap((text) =>
    typeof text === "string" ? [...text.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)] : [],
  )
  const files = [...named, ...patch.map(([, file]) => file?.trim())]
  return [
    ...new Set(files.filter((file): file is string => typeof file === "string" && file.length > 0)),
  ].slice(0, 50)
}
