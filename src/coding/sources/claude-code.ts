import { basename, join, sep } from "node:path"
import { z } from "zod"
import { parseTime } from "../../base/clock.ts"
import { createElementRemover } from "../../base/text/elements.ts"
import { createFileFinder } from "../reading/find-files.ts"
import type { RawTurn, Redact, SessionSource } from "../sessions/session-source.ts"
import { describeCall } from "../sessions/tool-call.ts"
import { claudeProcessStates } from "./claude-registry.ts"
import { blocksOf, textBlocksOf, textOf, toolResult, toolUse } from "./content.ts"
import { lineKey, lineSource, type Transcript } from "./transcript.ts"

const lineSchema = z.object({
  type: z.string(),
  uuid: z.string().optional(),
  timestamp: z.string().optional(),
  cwd: z.string().optional(),
  gitBranch: z.string().nullish(),
  isSidechain: z.boolean().nullish(),
  isMeta: z.boolean().nullish(),
  isCompactSummary: z.boolean().nullish(),
  isApiErrorMessage: z.boolean().nullish(),
  /** Set if the line was copied from the session that this one was forked from. */
  forkedFrom: z.unknown().optional(),
  subtype: z.string().optional(),
  customTitle: z.string().optional(),
  aiTitle: z.string().optional(),
  message: z.object({ content: z.unknown().optional(), stop_reason: z.string().nullish() }).optional(),
})
type Line = z.infer<typeof lineSchema>

/** Claude Code's transcripts, without those of subagents, which are in their own folders. */
export function claudeCodeSource(home: string, redact: Redact): SessionSource {
  const findFiles = createFileFinder()
  return lineSource({
    tool: "claude-code",
    async files(since) {
      const files = await findFiles(join(home, "projects"), /\.jsonl$/, since)
      return files.filter((file) => !file.includes(`${sep}subagents${sep}`))
    },
    nativeId: (file) => basename(file, ".jsonl"),
    take(transcript, line) {
      const { data } = lineSchema.safeParse(line)
      return data === undefined ? [] : take(transcript, data, redact)
    },
    processStates: claudeProcessStates(join(home, "sessions")),
  })
}

function take(transcript: Transcript, line: Line, redact: Redact): RawTurn[] {
  const title = line.customTitle ?? line.aiTitle
  if (title !== undefined) transcript.title = redact(title)
  const isSkipped = line.isSidechain || line.isMeta || line.isCompactSummary || line.forkedFrom !== undefined
  const at = parseTime(line.timestamp ?? "")
  if (isSkipped || at === undefined) return []
  if (line.type === "system" && line.subtype === "stop_hook_summary") transcript.phase = "waiting"
  if ((line.type !== "user" && line.type !== "assistant") || line.message === undefined) return []
  transcript.startedAt ??= at
  transcript.folder ??= line.cwd
  if (line.gitBranch) transcript.branch = line.gitBranch
  const key = lineKey(transcript, line.uuid)
  return line.type === "user"
    ? takeUser(transcript, line.message, key, at)
    : takeAssistant(transcript, line, { key, at, redact })
}

/** The start of messages that Claude Code writes in the user's name. */
const notByUser =
  /^\s*(?:<(?:command-(?:name|message|args)|local-command-[a-z]+|bash-(?:input|stdout|stderr)|task-notification)\b|Caveat: The messages below were generated)/
const removeInjected = createElementRemover([
  "system-reminder",
  "ide_opened_file",
  "ide_selection",
  "ide_diagnostics",
  "new-diagnostics",
  "user-prompt-submit-hook",
  "session-start-hook",
  "post-tool-use-hook",
  "pre-tool-use-hook",
])

function takeUser(
  transcript: Transcript,
  { content }: NonNullable<Line["message"]>,
  key: string,
  at: number,
): RawTurn[] {
  const results = blocksOf(content, toolResult).map((result): RawTurn => {
    const call = transcript.calls[result.tool_use_id]
    delete transcript.calls[result.tool_use_id]
    const text = removeInjected(textOf(result.content))
    const isError = result.is_error ?? false
    return { key: `${key}/${result.tool_use_id}`, role: "tool", at, text, tool: "tool", ...call, isError }
  })
  const texts = textBlocksOf(content).filter((text) => !notByUser.test(text))
  const text = texts.map(removeInjected).join("\n").trim()
  const isInterruption = /^\[Request interrupted by user/.test(text)
  if (results.length > 0 || text !== "") transcript.phase = isInterruption ? "waiting" : "working"
  return text === "" || isInterruption ? results : [...results, { key, role: "user", at, text }]
}

function takeAssistant(
  transcript: Transcript,
  { message, isApiErrorMessage }: Line,
  { key, at, redact }: { key: string; at: number; redact: Redact },
): RawTurn[] {
  const calls = blocksOf(message?.content, toolUse)
  for (const call of calls) transcript.calls[call.id] = describeCall(call.name, call.input, redact)
  const stop = message?.stop_reason
  const isWorking = calls.length > 0 || stop === "tool_use" || stop === "pause_turn"
  transcript.phase = isWorking ? "working" : "waiting"
  const text = textBlocksOf(message?.content).join("\n")
  return isApiErrorMessage || text.trim() === "" ? [] : [{ key, role: "assistant", at, text }]
}
