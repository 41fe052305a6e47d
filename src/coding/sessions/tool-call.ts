import { z } from "zod"

/** What an agent had a tool do. */
export const toolCallSchema = z.object({
  tool: z.string(),
  /** What was run, without secrets, where the tool runs commands. */
  command: z.string().optional(),
  files: z.array(z.string()).optional(),
})
export type ToolCall = z.infer<typeof toolCallSchema>

const longestCommand = 300
const mostFiles = 10

/** The call in short, from the tool's input as the agent gave it. */
export function describeCall(tool: string, input: unknown, redact: (text: string) => string): ToolCall {
  const command = commandOf(input)
  const files = filesOf(input)
  return {
    tool,
    ...(command === undefined ? {} : { command: redact(command).slice(0, longestCommand) }),
    ...(files.length > 0 ? { files } : {}),
  }
}

/** What was run, or the address that was fetched. */
const commandKeys = ["command", "cmd", "script", "url"]
const fileKeys = ["file_path", "filePath", "path", "absolute_path", "notebook_path", "filename", "file"]

function commandOf(input: unknown): string | undefined {
  for (const key of commandKeys) {
    const value = fieldOf(input, key)
    if (typeof value === "string") return value
    // A program and its arguments; a shell's script is the last of them.
    if (Array.isArray(value)) return /sh$/.test(String(value[0])) ? String(value.at(-1)) : value.join(" ")
  }
  return undefined
}

function filesOf(input: unknown): string[] {
  const named = fileKeys.flatMap((key) => {
    const value = fieldOf(input, key)
    return typeof value === "string" && value !== "" ? [value] : []
  })
  const patch = typeof input === "string" ? input : fieldOf(input, "patch")
  const patched =
    typeof patch === "string"
      ? [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map((match) => match[1] ?? "")
      : []
  return [...new Set([...named, ...patched])].slice(0, mostFiles)
}

function fieldOf(input: unknown, key: string): unknown {
  if (typeof input !== "object" || input === null) return undefined
  return Object.entries(input).find(([name]) => name === key)?.[1]
}
