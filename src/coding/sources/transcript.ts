import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { open, stat } from "node:fs/promises"
import { z } from "zod"
import { parseJsonLine } from "../reading/json-line.ts"
import { readTail } from "../reading/tail.ts"
import type {
  Progress,
  RawTurn,
  ReadResult,
  SessionLocation,
  SessionSource,
  SessionUpdate,
} from "../sessions/session-source.ts"
import { toolCallSchema } from "../sessions/tool-call.ts"

/** The state needed to continue reading a transcript. It contains no messages. */
const transcriptSchema = z.object({
  nativeId: z.string(),
  folder: z.string().optional(),
  branch: z.string().optional(),
  title: z.string().optional(),
  startedAt: z.number().optional(),
  phase: z.enum(["working", "waiting", "closed", "crashed"]).optional(),
  /** How many lines were read; the key of a message without an id. */
  lines: z.number(),
  /** The session of a subagent or a program, not of the user. */
  isNoise: z.boolean(),
  /** A hash of the bytes before the position; another hash means that the file was rewritten. */
  seal: z.string().optional(),
  /** Tool calls without a result so far. */
  calls: z.record(z.string(), toolCallSchema),
})
export type Transcript = z.infer<typeof transcriptSchema>

/** How to read the lines of one tool. */
export interface LineFormat {
  tool: SessionSource["tool"]
  /** The transcripts that changed since a time. */
  files(since: number): Promise<string[]>
  nativeId(file: string): string
  /** Reads one line, updates the transcript and returns the turns in the line. */
  take(transcript: Transcript, line: unknown, file: string): RawTurn[]
  processStates?: SessionSource["processStates"]
}

/** How much is read at a time, and how long a line may be: more than a picture in it needs. */
const limits = { chunkBytes: 128 * 1024, longestLine: 8 * 1024 * 1024 }
const mostCalls = 100

/** A source whose transcripts grow line by line. */
export function lineSource(format: LineFormat): SessionSource {
  return {
    tool: format.tool,
    locations: async (since) => locationsOf(await format.files(since)),
    async read(file, from) {
      const known = from === undefined ? undefined : knownTranscript(from.state)
      const canContinue =
        known?.seal !== undefined && known.seal === (await sealAt(file, from?.position ?? 0))
      const transcript = canContinue ? known : newTranscript(format, file)
      const { lines, ...tail } = await readTail(file, canContinue ? (from?.position ?? 0) : 0, limits)
      transcript.seal = await sealAt(file, tail.position)
      transcript.lines += tail.skippedLines
      return { ...readLines(format, transcript, lines, file), ...tail }
    },
    ...(format.processStates ? { processStates: format.processStates } : {}),
  }
}

/** Reads lines in order. */
export function readLines(
  format: LineFormat,
  transcript: Transcript,
  lines: readonly string[],
  file: string,
): Pick<ReadResult, "update" | "state"> {
  const turns: RawTurn[] = []
  for (const text of lines) {
    const line = parseJsonLine(text)
    if (line !== undefined) turns.push(...format.take(transcript, line, file))
    transcript.lines += 1
  }
  const calls = Object.entries(transcript.calls)
  if (calls.length > mostCalls) transcript.calls = Object.fromEntries(calls.slice(-mostCalls))
  return { update: updateOf(transcript, turns), state: transcript }
}

function updateOf(transcript: Transcript, turns: RawTurn[]): SessionUpdate | undefined {
  const { lines, calls, seal, isNoise, ...head } = transcript
  // A file without a start is not a session yet.
  return isNoise || head.startedAt === undefined ? undefined : { ...head, turns }
}

/** A transcript before its first line. */
export function newTranscript(format: Pick<LineFormat, "nativeId">, file: string): Transcript {
  return { nativeId: format.nativeId(file), lines: 0, isNoise: false, calls: {} }
}

function knownTranscript(state: unknown): Transcript | undefined {
  const parsed = transcriptSchema.safeParse(state)
  return parsed.success ? parsed.data : undefined
}

/** A transcript's state without secrets, also those that became known after a line was read. Other states do not change. */
export function redactTranscript(state: unknown, redact: (text: string) => string): unknown {
  const transcript = knownTranscript(state)
  if (transcript === undefined) return state
  for (const call of Object.values(transcript.calls)) {
    if (call.command !== undefined) call.command = redact(call.command)
    if (call.files !== undefined) call.files = call.files.map(redact)
  }
  for (const name of ["branch", "title"] as const) {
    const text = transcript[name]
    if (text !== undefined) transcript[name] = redact(text)
  }
  // The name of an existing folder must stay; any other is only a text.
  if (transcript.folder !== undefined && !existsSync(transcript.folder))
    transcript.folder = redact(transcript.folder)
  return transcript
}

const sealedBytes = 128

/** A hash of the bytes before a position; undefined if the file is shorter. */
async function sealAt(file: string, position: number): Promise<string | undefined> {
  const handle = await open(file, "r")
  try {
    const length = Math.min(sealedBytes, position)
    const buffer = Buffer.alloc(length)
    const { bytesRead } = await handle.read(buffer, 0, length, position - length)
    return bytesRead === length ? createHash("sha256").update(buffer).digest("hex").slice(0, 12) : undefined
  } finally {
    await handle.close()
  }
}

/** The existing files as locations. A change of a file's companion, another file or a folder, counts as its own. */
export async function locationsOf(
  files: Iterable<string>,
  companionOf?: (file: string) => string,
): Promise<SessionLocation[]> {
  const locations: SessionLocation[] = []
  for (const id of files) {
    const own = await stat(id).catch(() => undefined)
    if (own === undefined) continue
    const companion = companionOf && (await stat(companionOf(id)).catch(() => undefined))
    const stats = companion ? [own, companion] : [own]
    const changedAt = Math.floor(Math.max(...stats.map(({ mtimeMs }) => mtimeMs)))
    locations.push({ id, changedAt, stamp: stats.map(({ size, mtimeMs }) => `${size}/${mtimeMs}`).join("/") })
  }
  return locations
}

/** Adds files with another ending, which are always read whole, to a source. */
export function withWholeFiles(
  source: SessionSource,
  ending: string,
  whole: Pick<SessionSource, "locations" | "read">,
): SessionSource {
  return {
    ...source,
    locations: async (since) => [...(await source.locations(since)), ...(await whole.locations(since))],
    read: (file, from) => (file.endsWith(ending) ? whole.read(file, from) : source.read(file, from)),
  }
}

/** The result of reading a location in which nothing is new, or which is just being written. */
export function nothingNew(from: Progress | undefined): ReadResult {
  return { position: 0, state: null, ...from, update: undefined, more: false }
}

/** The key of a message: its own id, or the number of its line. */
export function lineKey(transcript: Transcript, own: string | undefined): string {
  return own ?? `@${transcript.lines}`
}
