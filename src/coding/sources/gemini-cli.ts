import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { readFile, stat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { z } from "zod"
import { parseTime } from "../../base/clock.ts"
import { createElementRemover } from "../../base/text/elements.ts"
import { createFileFinder } from "../reading/find-files.ts"
import { parseJsonLine, timestamp } from "../reading/json-line.ts"
import type { Progress, RawTurn, Redact, SessionSource } from "../sessions/session-source.ts"
import { describeCall } from "../sessions/tool-call.ts"
import { textsOf } from "./content.ts"
import {
  type LineFormat,
  lineSource,
  locationsOf,
  newTranscript,
  nothingNew,
  readLines,
  type Transcript,
  withWholeFiles,
} from "./transcript.ts"

const headSchema = z.object({
  sessionId: z.string(),
  projectHash: z.string().optional(),
  startTime: z.string(),
  kind: z.string().optional(),
})
const messageSchema = z.object({
  id: z.string(),
  timestamp,
  type: z.string(),
  content: z.unknown().optional(),
  toolCalls: z
    .array(
      z.object({
        id: z.string(),
        name: z.string(),
        args: z.unknown().optional(),
        status: z.string().optional(),
        result: z.unknown().optional(),
        resultDisplay: z.unknown().optional(),
      }),
    )
    .nullish(),
})
type Message = z.infer<typeof messageSchema>
const patchSchema = z.object({ $set: z.object({ messages: z.array(z.unknown()).optional() }) })

/** Gemini CLI's chats: one line for each message, repeated when it changes; older chats are one JSON file. */
export function geminiSource(home: string, redact: Redact): SessionSource {
  const findFiles = createFileFinder()
  const tmp = join(home, "tmp")
  const format: LineFormat = {
    tool: "gemini-cli",
    files: (since) => findFiles(tmp, /^session-.*\.jsonl$/, since),
    nativeId: (file) => basename(file).replace(/\.jsonl?$/, ""),
    take: (transcript, line, file) => takeLine(transcript, line, redact, () => folderOf(home, file)),
  }
  return withWholeFiles(lineSource(format), ".json", {
    locations: async (since) => locationsOf(await findFiles(tmp, /^session-.*\.json$/, since)),
    read: (file, from) => readWhole(format, file, from),
  })
}

const wholeSchema = headSchema.extend({ messages: z.array(z.unknown()) })

/** Reads an older chat: one JSON file that is rewritten at every change. */
async function readWhole(format: LineFormat, file: string, from: Progress | undefined) {
  const { mtimeMs } = await stat(file)
  const whole = wholeSchema.safeParse(parseJsonLine(await readFile(file, "utf8")))
  if (!whole.success) return nothingNew(from)
  const { messages, ...head } = whole.data
  const lines = [head, ...messages].map((one) => JSON.stringify(one))
  const { update } = readLines(format, newTranscript(format, file), lines, file)
  return { update, state: null, position: Math.floor(mtimeMs), more: false }
}

function takeLine(
  transcript: Transcript,
  line: unknown,
  redact: Redact,
  folder: () => string | undefined,
): RawTurn[] {
  const head = headSchema.safeParse(line)
  if (head.success) {
    transcript.nativeId = head.data.sessionId
    transcript.startedAt ??= parseTime(head.data.startTime)
    transcript.isNoise = head.data.kind !== undefined && head.data.kind !== "main"
    transcript.folder ??= folder()
    return []
  }
  const patch = patchSchema.safeParse(line)
  const messages = patch.success ? (patch.data.$set.messages ?? []) : [line]
  return messages.flatMap((one) => {
    const { data } = messageSchema.safeParse(one)
    return data === undefined ? [] : takeMessage(transcript, data, redact)
  })
}

const removeInjected = createElementRemover(["session_context", "hook_context", "system-reminder"])

function takeMessage(transcript: Transcript, message: Message, redact: Redact): RawTurn[] {
  const at = message.timestamp
  const role = { user: "user", gemini: "assistant" }[message.type]
  if (role !== "user" && role !== "assistant") return []
  const text = textsOf(message.content).map(removeInjected).join("\n").trim()
  const calls = message.toolCalls ?? []
  if (role === "assistant" || text !== "")
    transcript.phase = role === "user" || calls.length > 0 ? "working" : "waiting"
  const results = calls
    .filter(({ status }) => status === undefined || ["success", "error", "cancelled"].includes(status))
    .map((call): RawTurn => {
      const shown = typeof call.resultDisplay === "string" ? call.resultDisplay : outputOf(call.result)
      const described = describeCall(call.name, call.args, redact)
      const isError = call.status === "error"
      return { key: `${message.id}/${call.id}`, role: "tool", at, text: shown, ...described, isError }
    })
  return text === "" ? results : [{ key: message.id, role, at, text }, ...results]
}

const responseSchema = z.object({
  functionResponse: z.object({
    response: z.object({ output: z.string().optional(), error: z.string().optional() }),
  }),
})

function outputOf(result: unknown): string {
  const parts = Array.isArray(result) ? result : []
  const responses = parts.flatMap(
    (part) => responseSchema.safeParse(part).data?.functionResponse.response ?? [],
  )
  return responses.map(({ output, error }) => output ?? error ?? "").join("\n")
}

const projectsSchema = z.object({ projects: z.record(z.string(), z.string()) })

/** The project folder of a chat. The chat's own folder is named after it, by a short name or, in older versions, a hash. */
function folderOf(home: string, file: string): string | undefined {
  const name = basename(dirname(dirname(file)))
  const root = readIfThere(join(home, "tmp", name, ".project_root"))?.trim()
  if (root) return root
  const known = projectsSchema.safeParse(parseJsonLine(readIfThere(join(home, "projects.json")) ?? ""))
  if (!known.success) return undefined
  const hashOf = (path: string) => createHash("sha256").update(path).digest("hex")
  return Object.entries(known.data.projects).find(
    ([path, slug]) => slug === name || hashOf(path) === name,
  )?.[0]
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}
