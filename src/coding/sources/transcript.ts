import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { open, stat } from "node:fs/promises"
import { z } from "zod"
import { readTail } from "../reading/tail.ts"
import type {
  RawTurn,
  Reading,
  SessionLocation,
  SessionNews,
  SessionSource,
} from "../sessions/session-source.ts"
import { toolCallSchema } from "../sessions/tool-call.ts"
import { parseLine } from "../usage/meter.ts"

/** What has to be known of a transcript to go on reading it. Nothing in it quotes what was said. */
const transcriptSchema = z.object({
  nativeId: z.string(),
  folder: z.string().optional(),
  branch: z.string().optional(),
  title: z.string().optional(),
  startedAt: z.number().optional(),
  phase: z.enum(["working", "waiting", "closed", "crashed"]).optional(),
  /** How many lines were read; names what has no name of its own. */
  lines: z.number(),
  /** A subagent's or a program's, not the user's. */
  isNoise: z.boolean(),
  /** What stood before the point where reading stopped; something else there means that the file was written anew. */
  seal: z.string().optional(),
  /** Calls of tools that were not answered yet. */
  calls: z.record(z.string(), toolCallSchema),
})
export type Transcript = z.infer<typeof transcriptSchema>

/** How the lines of one tool are understood. */
export interface LineFormat {
  tool: SessionSource["tool"]
  /** The transcripts that changed since a moment. */
  files(since: number): Promise<string[]>
  nativeId(file: string): string
  /** Takes in one line and gives what was said in it. */
  take(transcript: Transcript, line: unknown, file: string): RawTurn[]
  lives?: SessionSource["lives"]
}

/** Read at a time, and how long a line may be: more than a picture in it takes. */
const limits = { chunkBytes: 128 * 1024, longestLine: 8 * 1024 * 1024 }
const mostCalls = 100

/** A source of transcripts that grow line by line. */
export function lineSource(format: LineFormat): SessionSource {
  return {
    tool: format.tool,
    locations: async (since) => locationsOf(await format.files(since)),
    async read(file, from) {
      const known = from === undefined ? undefined : knownTranscript(from.state)
      const goesOn = known?.seal !== undefined && known.seal === (await sealAt(file, from?.position ?? 0))
      const transcript = goesOn ? known : fresh(format, file)
      const { lines, ...tail } = await readTail(file, goesOn ? (from?.position ?? 0) : 0, limits)
      transcript.seal = await sealAt(file, tail.position)
      transcript.lines += tail.passedOver
      return { ...readLines(format, transcript, lines, file), ...tail }
    },
    ...(format.lives ? { lives: format.lives } : {}),
  }
}

/** Takes in lines, one after the other. */
export function readLines(
  format: LineFormat,
  transcript: Transcript,
  lines: readonly string[],
  file: string,
): Pick<Reading, "news" | "state"> {
  const turns: RawTurn[] = []
  for (const text of lines) {
    const line = parseLine(text)
    if (line !== undefined) turns.push(...format.take(transcript, line, file))
    transcript.lines += 1
  }
  const calls = Object.entries(transcript.calls)
  if (calls.length > mostCalls) transcript.calls = Object.fromEntries(calls.slice(-mostCalls))
  return { news: newsOf(transcript, turns), state: transcript }
}

function newsOf(transcript: Transcript, turns: RawTurn[]): SessionNews | undefined {
  const { lines, calls, seal, isNoise, ...head } = transcript
  // A file without a beginning is none of a session's yet.
  return isNoise || head.startedAt === undefined ? undefined : { ...head, turns }
}

/** A transcript of which nothing was read. */
export function fresh(format: Pick<LineFormat, "nativeId">, file: string): Transcript {
  return { nativeId: format.nativeId(file), lines: 0, isNoise: false, calls: {} }
}

function knownTranscript(state: unknown): Transcript | undefined {
  const parsed = transcriptSchema.safeParse(state)
  return parsed.success ? parsed.data : undefined
}

/** The same without secrets, also those that became known after a line was read; other states pass as they are. */
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
  // A folder that is there is called what it is called; any other name is only a text.
  if (transcript.folder !== undefined && !existsSync(transcript.folder))
    transcript.folder = redact(transcript.folder)
  return transcript
}

const sealedBytes = 128

/** A mark of what stands before a position; undefined where the file does not reach so far. */
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

/** The files as locations; one that is gone by now is none. */
export async function locationsOf(files: readonly string[]): Promise<SessionLocation[]> {
  const locations: SessionLocation[] = []
  for (const id of files) {
    const found = await stat(id).catch(() => undefined)
    if (found)
      locations.push({ id, changedAt: Math.floor(found.mtimeMs), stamp: `${found.size}/${found.mtimeMs}` })
  }
  return locations
}

/** The name of something in a line that has none of its own. */
export function lineKey(transcript: Transcript, own: string | undefined): string {
  return own ?? `@${transcript.lines}`
}
