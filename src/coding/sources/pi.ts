import { basename, join } from "node:path"
import { z } from "zod"
import { createFileFinder } from "../reading/find-files.ts"
import { timestamp } from "../reading/json-line.ts"
import type { RawTurn, Redact, SessionSource } from "../sessions/session-source.ts"
import { describeCall } from "../sessions/tool-call.ts"
import { blocksOf, textBlocksOf, textOf } from "./content.ts"
import { lineKey, lineSource, type Transcript } from "./transcript.ts"

const lineSchema = z.object({
  type: z.string(),
  id: z.string().optional(),
  timestamp,
  cwd: z.string().optional(),
  /** The name that the user gave to the session. */
  name: z.string().optional(),
  message: z
    .object({
      role: z.string(),
      content: z.unknown().optional(),
      stopReason: z.string().optional(),
      toolCallId: z.string().optional(),
      toolName: z.string().optional(),
      isError: z.boolean().optional(),
    })
    .optional(),
})
type Line = z.infer<typeof lineSchema>

/** pi's sessions. */
export function piSource(home: string, redact: Redact): SessionSource {
  const findFiles = createFileFinder()
  return lineSource({
    tool: "pi",
    files: (since) => findFiles(join(home, "sessions"), /\.jsonl$/, since),
    nativeId: (file) => basename(file, ".jsonl").replace(/^.*_/, ""),
    take(transcript, line) {
      const { data } = lineSchema.safeParse(line)
      return data === undefined ? [] : take(transcript, data, redact)
    },
  })
}

function take(transcript: Transcript, line: Line, redact: Redact): RawTurn[] {
  const at = line.timestamp
  if (line.type === "session") {
    transcript.startedAt = at
    transcript.nativeId = line.id ?? transcript.nativeId
    transcript.folder = line.cwd
  }
  if (line.type === "session_info" && line.name) transcript.title = redact(line.name)
  if (line.type !== "message" || line.message === undefined) return []
  const key = lineKey(transcript, line.id)
  const { message } = line
  switch (message.role) {
    case "user":
      transcript.phase = "working"
      return textTurn(key, "user", at, message.content)
    case "assistant": {
      const calls = blocksOf(message.content, toolCall)
      for (const call of calls) transcript.calls[call.id] = describeCall(call.name, call.arguments, redact)
      transcript.phase = calls.length > 0 ? "working" : "waiting"
      return textTurn(key, "assistant", at, message.content)
    }
    case "toolResult": {
      const id = message.toolCallId ?? ""
      const call = transcript.calls[id] ?? { tool: message.toolName ?? "tool" }
      delete transcript.calls[id]
      const isError = message.isError ?? false
      return [{ key, role: "tool", at, text: textOf(message.content), ...call, isError }]
    }
    default:
      return []
  }
}

const toolCall = z.object({
  type: z.literal("toolCall"),
  id: z.string(),
  name: z.string(),
  arguments: z.unknown().optional(),
})

function textTurn(key: string, role: "user" | "assistant", at: number, content: unknown): RawTurn[] {
  const text = textBlocksOf(content).join("\n")
  return text.trim() === "" ? [] : [{ key, role, at, text }]
}
