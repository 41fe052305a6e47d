import { z } from "zod"
import { parseJson } from "../../../base/text/json.ts"
import {
  emptyForeign,
  type Foreign,
  type ForeignMemory,
  type Item,
  jsonLines,
  type Redact,
  sourceIdOf,
  tagFrom,
} from "./foreign.ts"

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
 * Reads the file of the reference MCP memory server: a memory for each observation of an entity, and one for each
 * relation, so that its name stays known; relations link the entities they are between.
 */
export function readMcp(lines: readonly string[], redact: Redact): Foreign {
  const foreign = emptyForeign()
  const heads = new Map<string, string>()
  const relations: { position: string; relation: Relation }[] = []
  for (const { position, item } of itemsOf(lines, foreign)) {
    if (item.type === "relation") {
      const relation = relationSchema.safeParse(item)
      if (relation.success) relations.push({ position, relation: relation.data })
      else foreign.problems.push({ position, reason: "it is no relation with from, to and relationType" })
      continue
    }
    const entity = entitySchema.safeParse(item)
    if (item.type !== "entity" || !entity.success) {
      foreign.problems.push({ position, reason: "it is neither an entity nor a relation" })
      continue
    }
    const memories = entityMemories(redact, entity.data, position)
    foreign.memories.push(...memories)
    const [head] = memories
    if (head && !heads.has(entity.data.name)) heads.set(entity.data.name, head.sourceId)
  }
  for (const { position, relation } of relations) addRelation(foreign, redact, heads, relation, position)
  return foreign
}

/** One object a line, or a whole graph with its entities and relations. */
function itemsOf(lines: readonly string[], foreign: Foreign): Item<Record<string, unknown>>[] {
  const whole = wholeGraph(lines)
  if (whole) return whole
  return jsonLines(lines, foreign).map(({ position, item }) => ({ position, item: Object(item) }))
}

function wholeGraph(lines: readonly string[]): Item<Record<string, unknown>>[] | undefined {
  const schema = z.object({
    entities: z.array(z.record(z.string(), z.unknown())),
    relations: z.array(z.record(z.string(), z.unknown())).default([]),
  })
  try {
    const graph = schema.parse(parseJson(lines.join("\n")))
    return [
      ...graph.entities.map((item, index) => ({
        position: `entity ${index + 1}`,
        item: { ...item, type: "entity" },
      })),
      ...graph.relations.map((item, index) => ({
        position: `relation ${index + 1}`,
        item: { ...item, type: "relation" },
      })),
    ]
  } catch {
    return undefined
  }
}

function entityMemories(
  redact: Redact,
  { name, entityType, observations }: Entity,
  position: string,
): ForeignMemory[] {
  const tag = tagFrom(redact, entityType)
  const told = { type: "entity" as const, source: "extracted" as const, tags: tag ? [tag] : [] }
  if (observations.length === 0) {
    const content = entityType === "" ? name : `${name} (${entityType})`
    return [{ position, sourceId: sourceIdOf("mcp", name, ""), given: { ...told, content } }]
  }
  return observations.map((observation) => ({
    position,
    sourceId: sourceIdOf("mcp", name, observation),
    given: { ...told, content: `${name}: ${observation}` },
  }))
}

function addRelation(
  foreign: Foreign,
  redact: Redact,
  heads: ReadonlyMap<string, string>,
  { from, to, relationType }: Relation,
  position: string,
): void {
  const tag = tagFrom(redact, relationType)
  const sourceId = sourceIdOf("mcp", from, relationType, to)
  const content = `${from} ${redact(relationType).replaceAll("_", " ")} ${to}`
  const given = { content, type: "entity" as const, source: "extracted" as const, tags: tag ? [tag] : [] }
  foreign.memories.push({ position, sourceId, given })
  const [a, b] = [heads.get(from), heads.get(to)]
  if (a !== undefined && b !== undefined) foreign.links.push({ from: a, to: b })
  for (const end of [a, b]) if (end !== undefined) foreign.links.push({ from: sourceId, to: end })
}
