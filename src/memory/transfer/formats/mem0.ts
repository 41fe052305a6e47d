import { z } from "zod"
import { parseTime } from "../../../base/clock.ts"
import { UserError } from "../../../base/errors.ts"
import { parseJson } from "../../../base/text/json.ts"
import { memoryTypes } from "../../model/kinds.ts"
import {
  emptyFile,
  type FileItem,
  type FileMemory,
  jsonLines,
  type ParsedFile,
  type Redact,
  sourceIdOf,
  tagFrom,
} from "./parsed-file.ts"

const text = z.string().nullish()
const mem0Schema = z.object({
  id: z.union([z.string(), z.number()]).nullish(),
  memory: text,
  text,
  data: text,
  user_id: text,
  agent_id: text,
  run_id: text,
  metadata: z.record(z.string(), z.unknown()).nullish(),
  categories: z.array(z.string()).nullish(),
  created_at: z.union([z.string(), z.number()]).nullish(),
})

type Mem0 = z.output<typeof mem0Schema>

/** Reads an export of mem0: a list, an object with `results`, or one object per line. */
export function readMem0(lines: readonly string[], redact: Redact): ParsedFile {
  const file = emptyFile()
  for (const { position, item } of itemsOf(lines, file)) {
    const parsed = mem0Schema.safeParse(item)
    const content = parsed.success ? (parsed.data.memory ?? parsed.data.text ?? parsed.data.data) : undefined
    if (!parsed.success || !content?.trim()) {
      file.problems.push({ position, reason: "it has no text under memory, text or data" })
    } else file.memories.push(memoryOf(redact, parsed.data, content, position))
  }
  return file
}

function itemsOf(lines: readonly string[], file: ParsedFile): FileItem[] {
  const first = lines.find((line) => line.trim() !== "")?.trim() ?? ""
  const whole = parsed(lines.join("\n"))
  const list = Array.isArray(whole) ? whole : (Object(whole) as { results?: unknown }).results
  if (Array.isArray(list)) return list.map((item, index) => ({ position: `item ${index + 1}`, item }))
  if (first.startsWith("[") || first === "{") {
    throw new UserError("usage", "The file is not a complete list of mem0 memories; export it again.")
  }
  return jsonLines(lines, file)
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

function memoryOf(redact: Redact, one: Mem0, content: string, position: string): FileMemory {
  const { id, run_id: runId, metadata, categories } = one
  const type = memoryTypes.find((known) => known === metadata?.type) ?? "fact"
  const category = metadata?.category
  const tags = [...(categories ?? []), ...(typeof category === "string" ? [category] : [])]
  const createdAt = timeOf(one.created_at)
  const context = contextOf(one)
  return {
    position,
    sourceId:
      id === undefined || id === null ? sourceIdOf("mem0", content) : `mem0:${String(id).slice(0, 400)}`,
    fields: {
      content,
      type,
      source: "extracted",
      tags: tags.flatMap((tag) => tagFrom(redact, tag) ?? []).slice(0, 50),
      ...(createdAt === undefined ? {} : { createdAt }),
      ...(runId ? { sessionId: runId.slice(0, 500) } : {}),
      ...(context === "" ? {} : { context }),
    },
  }
}

/** Milliseconds, from an ISO text, seconds or milliseconds. */
function timeOf(value: string | number | null | undefined): number | undefined {
  if (typeof value === "string") return parseTime(value)
  if (typeof value !== "number" || value < 0) return undefined
  return Math.round(value < 1e11 ? value * 1000 : value)
}

/** The user, the agent and the metadata of a memory, as text. */
function contextOf({ user_id: user, agent_id: agent, metadata }: Mem0): string {
  const rest = Object.entries(metadata ?? {}).filter(([name]) => name !== "type" && name !== "category")
  const parts = [
    ...(user ? [`user ${user}`] : []),
    ...(agent ? [`agent ${agent}`] : []),
    ...rest.map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`),
  ]
  return parts.length === 0 ? "" : `mem0: ${parts.join(", ")}`.slice(0, 2000)
}
