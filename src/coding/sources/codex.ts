import { basename, join } from "node:path"
import { z } from "zod"
import { createFileFinder } from "../reading/find-files.ts"
import { parseJsonLine, timestamp } from "../reading/json-line.ts"
import type { RawTurn, Redact, SessionSource } from "../sessions/session-source.ts"
import { describeCall } from "../sessions/tool-call.ts"
import { readCodexOutput } from "./codex-output.ts"
import { fileHolders } from "./file-holders.ts"
import {
  type LineFormat,
  lineKey,
  lineSource,
  locationsOf,
  type Transcript,
  withWholeFiles,
} from "./transcript.ts"
import { readPacked } from "./zstd.ts"

const lineSchema = z.object({ timestamp, type: z.string(), payload: z.unknown().optional() })

/** Codex's rollouts: current ones, packed ones and archived ones. */
export function codexSource(home: string, redact: Redact): SessionSource {
  const findFiles = createFileFinder()
  const find = async (name: RegExp, since: number) => [
    ...(await findFiles(join(home, "sessions"), name, since)),
    ...(await findFiles(join(home, "archived_sessions"), name, since)),
  ]
  const format: LineFormat = {
    tool: "codex",
    files: (since) => find(/^rollout-.*\.jsonl$/, since),
    nativeId: (file) =>
      /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(basename(file))?.[0] ?? basename(file),
    take(transcript, line) {
      const { data } = lineSchema.safeParse(line)
      return data === undefined ? [] : take(transcript, data, redact)
    },
    processStates: fileHolders,
  }
  return withWholeFiles(lineSource(format), ".zst", {
    locations: async (since) => locationsOf(await find(/^rollout-.*\.jsonl\.zst$/, since)),
    read: (file, from) => readPacked(format, file, from),
  })
}

function take(
  transcript: Transcript,
  { type, payload, timestamp: at }: z.infer<typeof lineSchema>,
  redact: Redact,
): RawTurn[] {
  if (type === "session_meta") takeMeta(transcript, payload, at)
  if (type === "event_msg") takeEvent(transcript, payload)
  return type === "response_item" && !transcript.isNoise ? takeItem(transcript, payload, at, redact) : []
}

const metaSchema = z.object({
  id: z.string().optional(),
  cwd: z.string().optional(),
  source: z.unknown().optional(),
  thread_source: z.string().nullish(),
  git: z.object({ branch: z.string().nullish() }).nullish(),
})

function takeMeta(transcript: Transcript, payload: unknown, at: number): void {
  const meta = metaSchema.safeParse(payload)
  // A second one belongs to the session that this one was forked from.
  if (!meta.success || transcript.startedAt !== undefined) return
  const { id, cwd, git, source, thread_source: thread } = meta.data
  transcript.startedAt = at
  transcript.nativeId = id ?? transcript.nativeId
  transcript.folder = cwd
  if (git?.branch) transcript.branch = git.branch
  const isSubagent = typeof source === "object" && source !== null
  transcript.isNoise = isSubagent || (thread != null && thread !== "user")
}

const eventSchema = z.object({ type: z.string() })
const phases: Record<string, Transcript["phase"]> = {
  task_started: "working",
  task_complete: "waiting",
  turn_aborted: "waiting",
}

function takeEvent(transcript: Transcript, payload: unknown): void {
  const event = eventSchema.safeParse(payload)
  const phase = event.success ? phases[event.data.type] : undefined
  if (phase !== undefined) transcript.phase = phase
}

const itemSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("message"),
    id: z.string().nullish(),
    role: z.string(),
    content: z.array(z.object({ text: z.string().optional() })),
    internal_chat_message_metadata_passthrough: z
      .object({ content_item_kinds: z.array(z.string()).nullish() })
      .nullish(),
  }),
  z.object({
    type: z.literal("function_call"),
    call_id: z.string(),
    name: z.string(),
    namespace: z.string().nullish(),
    arguments: z.string(),
  }),
  z.object({ type: z.literal("custom_tool_call"), call_id: z.string(), name: z.string(), input: z.string() }),
  z.object({ type: z.literal("local_shell_call"), call_id: z.string(), action: z.unknown().optional() }),
  z.object({ type: z.literal("function_call_output"), call_id: z.string(), output: z.unknown().optional() }),
  z.object({
    type: z.literal("custom_tool_call_output"),
    call_id: z.string(),
    output: z.unknown().optional(),
  }),
])
type Message = Extract<z.infer<typeof itemSchema>, { type: "message" }>

function takeItem(transcript: Transcript, payload: unknown, at: number, redact: Redact): RawTurn[] {
  const parsed = itemSchema.safeParse(payload)
  if (!parsed.success) return []
  const item = parsed.data
  switch (item.type) {
    case "message":
      return takeMessage(item, lineKey(transcript, item.id ?? undefined), at)
    case "function_call": {
      const name = item.namespace ? `${item.namespace}/${item.name}` : item.name
      transcript.calls[item.call_id] = describeCall(name, parseJsonLine(item.arguments), redact)
      return []
    }
    case "custom_tool_call":
      transcript.calls[item.call_id] = describeCall(item.name, item.input, redact)
      return []
    case "local_shell_call":
      transcript.calls[item.call_id] = describeCall("shell", item.action, redact)
      return []
    default: {
      const call = transcript.calls[item.call_id]
      delete transcript.calls[item.call_id]
      const output = readCodexOutput(item.output)
      return [{ key: `${item.call_id}/output`, role: "tool", at, tool: "tool", ...call, ...output }]
    }
  }
}

/** The start of messages that Codex writes in the user's name. */
const notByUser =
  /^\s*(?:<(?:environment_context|user_instructions|INSTRUCTIONS|turn_aborted|user_shell_command|skills?|skills_instructions|subagent_notification|permissions instructions|collaboration_mode|model_switch|recommended_plugins)\b|# AGENTS\.md instructions)/

function takeMessage(message: Message, key: string, at: number): RawTurn[] {
  const { role } = message
  if (role !== "user" && role !== "assistant") return []
  const kinds = message.internal_chat_message_metadata_passthrough?.content_item_kinds ?? []
  const texts = message.content.flatMap(({ text }, index) => {
    const kind = kinds[index] ?? "user."
    const isSpoken = role === "assistant" || (kind.startsWith("user.") && !notByUser.test(text ?? ""))
    return text !== undefined && isSpoken && !kind.startsWith("hooks.") ? [text] : []
  })
  const text = texts.join("\n").trim()
  return text === "" ? [] : [{ key, role, at, text }]
}
