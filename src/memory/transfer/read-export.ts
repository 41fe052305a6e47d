import { z } from "zod"
import { parseTime } from "../../base/clock.ts"
import { messageOf, UserError } from "../../base/errors.ts"
import { stripInvisible } from "../../base/text/invisible.ts"
import { parseJson } from "../../base/text/json.ts"
import type { JournalKind } from "../../storage/journal.ts"
import { memoryScopes, memorySources, memoryStatuses, memoryTypes } from "../model/kinds.ts"
import { maxReinforcements, normalizeDetails } from "../model/memory.ts"
import { edgeKinds } from "../model/store/graph.ts"
import { decodeVector } from "../topics/clusters/store-clusters.ts"
import { exportFormat } from "./export.ts"

const time = z
  .string()
  .transform((text) => parseTime(text))
  .pipe(z.int())
/** PostgreSQL cannot store NUL. */
const text = z
  .string()
  .refine((value) => !value.includes("\u0000"), "contains a NUL character")
  .overwrite(stripInvisible)
const count = z.int().min(0).max(2_147_483_647)

const texts = z.array(text).optional()
const exportedDetails = z
  .object({
    messageEnd: count.optional(),
    files: texts,
    context: text.optional(),
    reason: text.optional(),
    steps: texts,
    prerequisites: texts,
    warnings: texts,
    season: text.optional(),
    recencyWeight: z.number().optional(),
    helpful: count.optional(),
    unhelpful: count.optional(),
    compatibleWith: texts,
    notedBy: z.literal("agent").optional(),
    basis: texts,
    part: z.object({ number: count.min(1), of: count.min(1) }).optional(),
    outdated: z.object({ at: time, notes: z.array(text) }).optional(),
    reinforcements: z
      .array(z.object({ at: time, sessionId: text.optional(), messageIndex: count.optional() }))
      .max(maxReinforcements)
      .transform((all) => all.map((one) => withoutUndefined(one)))
      .optional(),
  })
  .transform((details) => normalizeDetails(details))

/** Optional keys are there or not, never undefined. */
function withoutUndefined<T extends object>(value: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as never
}

export const exportedMemory = z.object({
  id: z.string().regex(/^m_[0-9a-z]+$/),
  version: count.min(1),
  content: text.min(1),
  type: z.enum(memoryTypes),
  scope: z.enum(memoryScopes),
  project: text.nullable(),
  tags: z.array(text),
  status: z.enum(memoryStatuses),
  supersededBy: text.nullable(),
  source: z.enum(memorySources),
  sourceId: text.nullable(),
  sessionId: text.nullable(),
  messageIndex: count.nullable(),
  createdAt: time,
  updatedAt: time,
  accessedAt: time.nullable(),
  verifiedAt: time.nullable(),
  accessCount: count,
  strength: count,
  confidence: z.number(),
  trust: z.number(),
  // Exports of the first version have none of these.
  audience: text.nullable().default(null),
  triggers: z.array(text).default([]),
  details: exportedDetails.prefault({}),
})

export const exportedProject = z.object({
  id: text,
  name: text,
  root: text,
  remote: text.nullable(),
  createdAt: time,
  keys: z.array(text),
})

export const exportedTag = z.object({ name: text.min(1), description: text.min(1).optional() })

export const exportedCluster = z.object({
  id: z.string().regex(/^c_[0-9a-z]+$/),
  project: text.nullable(),
  name: text,
  model: text,
  /** Little-endian floats. */
  centroid: z.base64().transform((bytes) => decodeVector(Buffer.from(bytes, "base64"))),
  radius: z.number(),
  members: count,
  updatedAt: time,
})

export const exportedEdge = z.object({
  source: text,
  kind: z.enum(edgeKinds),
  target: text,
  weight: z.number().min(0).max(1),
  createdAt: time,
})

export const exportedImport = z.object({
  key: z.string().regex(/^[\w-]{22}$/),
  operation: text,
  memory: text,
})

export const exportedEntry = z.object({
  at: time,
  kind: text.transform((kind) => kind as JournalKind),
  subject: text.nullable(),
  operation: text,
  actor: text,
  // Older entries have none.
  machine: text.nullable().default(null),
  data: z.unknown(),
})

export interface ExportedItem {
  list: string
  item: unknown
  line: number
}

const advice = "give a file that `reverie memory export` wrote, or JSON Lines."

/** Whether a file's first line begins a JSON export, in its own layout or all on one line. */
export function beginsExport(firstLine: string): boolean {
  return firstLine.trim() === "{" || /^\s*\{\s*"(schemaVersion|format)"/.test(firstLine)
}

/** Reads an export item by item, so that its size does not matter. Throws if the file is not an export. */
export async function* readExport(lines: AsyncIterable<string>): AsyncGenerator<ExportedItem> {
  const reader = createReader()
  let line = 0
  for await (const raw of lines) {
    line += 1
    if (line === 1 && raw.trim() !== "{") yield* wholeItems(parseLine(raw, 1))
    else yield* reader.read(raw.trim().replace(/,$/, ""), line)
    if (line === 1 && raw.trim() !== "{") return
  }
  reader.end(line)
}

/** An export that another program has put on one line. */
function* wholeItems(whole: unknown): Generator<ExportedItem> {
  const lists = Object.entries(Object(whole))
  requireFormat(Object.fromEntries(lists))
  for (const [list, items] of lists) {
    if (Array.isArray(items)) for (const item of items) yield { list, item, line: 1 }
  }
}

/** Parses an export line by line: a head, then lists with one item per line. */
function createReader() {
  let list: string | undefined
  let head: Record<string, unknown> = {}
  let isWhole = false
  return {
    *read(content: string, line: number): Generator<ExportedItem> {
      const opened = /^"(\w+)": \[(\]?)$/.exec(content)
      if (content === "" || line === 1) return
      if (list !== undefined) {
        if (content === "]") list = undefined
        else yield { list, item: parseLine(content, line), line }
      } else if (content === "}") isWhole = true
      else if (opened) {
        requireFormat(head)
        list = opened[2] === "]" ? undefined : opened[1]
      } else head = { ...head, ...Object(parseLine(`{${content}}`, line)) }
    },
    end(line: number): void {
      requireFormat(head)
      if (isWhole) return
      const problem = `The file ends too early, at line ${line}; what came before it was imported.`
      throw new UserError("usage", `${problem} Import the whole file, or undo this import.`)
    },
  }
}

function parseLine(content: string, line: number): unknown {
  try {
    return parseJson(content)
  } catch (error) {
    throw new UserError("usage", `Line ${line} is not part of an export (${messageOf(error)}); ${advice}`, {
      cause: error,
    })
  }
}

function requireFormat({ format, schemaVersion }: Record<string, unknown>): void {
  if (format === exportFormat && schemaVersion === 1) return
  if (format === exportFormat && Number(schemaVersion) > 1) {
    throw new UserError("usage", "A newer version of Reverie made this export; update Reverie to import it.")
  }
  throw new UserError("usage", `The file is not an export that this Reverie knows; ${advice}`)
}
