import { z } from "zod"
import { parseJson } from "../../../base/text/json.ts"
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

const entitySchema = z.object({
  name: z.string().min(1),
  entityType: z.string().default(""),
  observations: z.array(z.string()).default([]),
})
const relationSchema = z.object({
  from: z.string().min(1),
  to: z.string().min(1),
  relationType: z.string().min(1),
})

type Entity = z.output<typeof entitySchema>
type Relation = z.output<typeof relationSchema>

/**
 * Reads the file of the reference MCP memory server: one memory per observation and one per relation, which is linked
 * with both its entities.
 */
export function readMcp(lines: readonly string[], redact: Redact): ParsedFile {
  const file = emptyFile()
  const heads = new Map<string, string>()
  const relations: { position: string; relation: Relation }[] = []
  for (const { position, item } of itemsOf(lines, file)) {
    if (item.type === "relation") {
      const relation = relationSchema.safeParse(item)
      if (relation.success) relations.push({ position, relation: relation.data })
      else file.problems.push({ position, reason: "it is not a relation with from, to and relationType" })
      continue
    }
    const entity = entitySchema.safeParse(item)
    if (item.type !== "entity" || !entity.success) {
      file.problems.push({ position, reason: "it is neither an entity nor a relation" })
      continue
    }
    const memories = entityMemories(redact, entity.data, position)
    file.memories.push(...memories)
    const [head] = memories
    if (head && !heads.has(entity.data.name)) heads.set(entity.data.name, head.sourceId)
  }
  for (const { position, relation } of relations) addRelation(file, redact, heads, relation, position)
  return file
}

/** One object per line, or one object with `entities` and `relations`. */
function itemsOf(lines: readonly string[], file: ParsedFile): FileItem<Record<string, unknown>>[] {
  const whole = wholeGraph(lines)
  if (whole) return whole
  return jsonLines(lines, file).map(({ position, item }) => ({ position, item: Object(item) }))
}

function wholeGraph(lines: readonly string[]): FileItem<Record<string, unknown>>[] | undefined {
  const schema = z.object({
    entities: z.array(z.record(z.string(), z.unknown())),
    relations: z.array(z.record(z.string(), z.unknown())).default([]),
  })
  try {
    const graph = schema.parse(parseJson(lines.join("\n")))
    const itemsIn = (list: Record<string, unknown>[], type: "entity" | "relation") =>
      list.map((item, index) => ({ position: `${type} ${index + 1}`, item: { ...item, type } }))
    return [...itemsIn(graph.entities, "entity"), ...itemsIn(graph.relations, "relation")]
  } catch {
    return undefined
  }
}

function entityMemories(
  redact: Redact,
  { name, entityType, observations }: Entity,
  position: string,
): FileMemory[] {
  const tag = tagFrom(redact, entityType)
  const base = { type: "entity" as const, source: "extracted" as const, tags: tag ? [tag] : [] }
  if (observations.length === 0) {
    const content = entityType === "" ? name : `${name} (${entityType})`
    return [{ position, sourceId: sourceIdOf("mcp", name, ""), fields: { ...base, content } }]
  }
  return observations.map((observation) => ({
    position,
    sourceId: sourceIdOf("mcp", name, observation),
    fields: { ...base, content: `${name}: ${observation}` },
  }))
}

function addRelation(
  file: ParsedFile,
  redact: Redact,
  heads: ReadonlyMap<string, string>,
  { from, to, relationType }: Relation,
  position: string,
): void {
  const tag = tagFrom(redact, relationType)
  const sourceId = sourceIdOf("mcp", from, relationType, to)
  const content = `${from} ${redact(relationType).replaceAll("_", " ")} ${to}`
  const fields = { content, type: "entity" as const, source: "extracted" as const, tags: tag ? [tag] : [] }
  file.memories.push({ position, sourceId, fields })
  const [a, b] = [heads.get(from), heads.get(to)]
  if (a !== undefined && b !== undefined) file.links.push({ from: a, to: b })
  for (const end of [a, b]) if (end !== undefined) file.links.push({ from: sourceId, to: end })
}
