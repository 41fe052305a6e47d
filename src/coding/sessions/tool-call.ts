import { z } from "zod"

/** A tool call of an agent. */
export const toolCallSchema = z.object({
  tool: z.string(),
  /** The command without secrets, if the tool runs commands. */
  command: z.string().optional(),
  files: z.array(z.string()).optional(),
})
export type ToolCall = z.infer<typeof toolCallSchema>

const longestCommand = 300
const mostFiles = 10

/** A short form of a call, from the tool's input. */
export function describeCall(tool: string, input: unknown, redact: (text: string) => string): ToolCall {
  const command = commandOf(input)
  const files = filesOf(input)
  return {
    tool,
    ...(command === undefined ? {} : { command: redact(command).slice(0, longestCommand) }),
    ...(files.length > 0 ? { files } : {}),
  }
}

/** The fields for a command, or for the address that is fetched. */
const commandKeys = ["command", "cmd", "script", "url"]
const fileKeys = ["file_path", "filePath", "path", "absolute_path", "notebook_path", "filename", "file"]

function commandOf(input: unknown): string | undefined {
  const fields = fieldsOf(input)
  for (const key of commandKeys) {
    const value = fields.get(key)
    if (typeof value === "string") return value
    // A program and its arguments; the script of a shell is the last one.
    if (Array.isArray(value)) return /sh$/.test(String(value[0])) ? String(value.at(-1)) : value.join(" ")
  }
  return undefined
}

function filesOf(input: unknown): string[] {
  const fields = fieldsOf(input)
  const patch = typeof input === "string" ? input : fields.get("patch")
  return namedFiles([...fileKeys.map((key) => fields.get(key)), ...filesInPatch(patch)], mostFiles)
}

/** The fields of a tool's input; none if it is no object. */
export function fieldsOf(input: unknown): Map<string, unknown> {
  return new Map(Object.entries(typeof input === "object" && input !== null ? input : {}))
}

/** The files that a patch changes. */
export function filesInPatch(patch: unknown): string[] {
  if (typeof patch !== "string") return []
  return [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(([, file = ""]) =>
    file.trim(),
  )
}

/** The first `most` names among some values, each once. */
export function namedFiles(values: readonly unknown[], most: number): string[] {
  const names = values.filter((value): value is string => typeof value === "string" && value !== "")
  return [...new Set(names)].slice(0, most)
}
