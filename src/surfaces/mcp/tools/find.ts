import { z } from "zod"
import { memoryStatuses } from "../../../memory/model/kinds.ts"
import type { SurfacedMemory } from "../../../recall/types.ts"
import { hitText, memoryText } from "../answer-text.ts"
import { projectOf, scopeOf } from "../client-context.ts"
import { recallContext, recallInSession } from "../recall-context.ts"
import { answerShape, inputs, shapes } from "../shapes.ts"
import { defineMcpTool } from "../tool.ts"

export const searchTool = defineMcpTool({
  name: "memory_search",
  title: "Search memory",
  description:
    "Finds what is remembered about a question: facts, preferences, procedures, corrections, mistakes not to repeat. " +
    "Ask it before you ask the user for something they may have told before. Nothing found is a normal answer.",
  hints: { readOnly: true },
  input: z.strictObject({
    query: z.string().min(1).max(10_000).describe("A question or a few keywords."),
    limit: z.int().min(1).max(50).default(8),
    unlikely: z.boolean().default(false).describe("Also show results that are probably unrelated."),
    ...inputs.scope,
  }),
  output: answerShape({
    results: z.array(shapes.hit),
    abstained: z.boolean().describe("True if nothing is sure; the best few results are there anyway."),
    reason: z.string().optional().describe("Why nothing can be found at all."),
  }),
  run: ({ client, context }, { query, limit, unlikely, ...scope }) =>
    client.search({ query, limit, ...(unlikely ? { gate: "false" } : {}), ...scopeOf(context, scope) }),
  toText({ results, abstained, reason }) {
    if (results.length === 0) return reason ? `Nothing can be found: ${reason}.` : "Nothing found."
    return [...(abstained ? ["Not sure. The closest results:"] : []), ...results.map(hitText)].join("\n")
  },
})

export const similarTool = defineMcpTool({
  name: "memory_similar",
  title: "Similar memories",
  description: "Finds the memories most like one.",
  hints: { readOnly: true },
  input: z.strictObject({ id: inputs.id, limit: z.int().min(1).max(50).default(8), ...inputs.scope }),
  output: answerShape({ results: z.array(shapes.hit) }),
  run: ({ client, context }, { id, limit, ...scope }) =>
    client.similar(id, { limit, ...scopeOf(context, scope) }),
  toText: ({ results }) => (results.length === 0 ? "No similar memories." : results.map(hitText).join("\n")),
})

export const recallContextTool = defineMcpTool({
  name: "memory_recall_context",
  title: "Recall context",
  description:
    "Gives the few memories that should be known before working on a text such as the user's request, " +
    "each once in a session. Usually there is nothing.",
  hints: { readOnly: true },
  input: z.strictObject({
    text: z.string().min(1).max(100_000).describe("The request, or what is being worked on."),
    limit: z.int().min(1).max(20).default(6),
    project: inputs.project,
  }),
  output: answerShape({
    memories: z.array(shapes.recalled),
  }),
  async run({ client, context }, { text, limit, project }) {
    if (context.session !== undefined) {
      const found = await recallInSession(client, context.session, projectOf(context, project), text)
      return { memories: found.slice(0, limit).map(toRecalled) }
    }
    const { memories } = await recallContext(client, text, limit, scopeOf(context, { project }))
    return { memories: memories.map((hit) => ({ ...hit, origin: `${hit.label ?? hit.source}` })) }
  },
  toText({ memories }) {
    if (memories.length === 0) return "No memories for this."
    const rules = memories.filter(({ isRule }) => isRule)
    const rest = memories.filter(({ isRule }) => !isRule)
    return [
      ...(rules.length > 0 ? ["The user's rules:", ...rules.map(hitText)] : []),
      ...(rest.length > 0 ? ["Background, to judge:", ...rest.map(hitText)] : []),
    ].join("\n")
  },
})

function toRecalled({ outdated, ...memory }: SurfacedMemory) {
  return { ...memory, ...(outdated ? { outdated: [...outdated] } : {}) }
}

/** Agents see quarantined memories only by their id. */
const listed = memoryStatuses.filter((status) => status !== "quarantined")
export const listTool = defineMcpTool({
  name: "memory_list",
  title: "List memories",
  description: "Lists memories, newest first, by type, tag or status. To answer a question, search instead.",
  hints: { readOnly: true },
  input: z.strictObject({
    type: inputs.type.optional(),
    tag: z.string().min(1).max(100).optional(),
    status: z.enum(listed).optional().describe("Default: active."),
    limit: z.int().min(1).max(200).default(20),
    after: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe("Continue after this id (`next` of the page before)."),
    ...inputs.scope,
  }),
  output: answerShape({ memories: z.array(shapes.memory), next: z.string().nullable() }),
  run: ({ client, context }, { type, tag, status, limit, after, ...scope }) =>
    client.list({ type, tag, status, limit, after, ...scopeOf(context, scope) }),
  toText({ memories, next }) {
    if (memories.length === 0) return "No memories match."
    return [...memories.map(memoryText), ...(next ? [`More: after ${next}`] : [])].join("\n")
  },
})

export const showTool = defineMcpTool({
  name: "memory_show",
  title: "Show a memory",
  description:
    "Shows one memory with where it comes from, how far it is believed now, and what it is linked to.",
  hints: { readOnly: true },
  input: z.strictObject({ id: inputs.id }),
  output: answerShape({
    ...shapes.memory.shape,
    projectName: z.string().nullable(),
    sessionId: z.string().nullable(),
    supersededBy: z.string().nullable(),
    strength: z.number().describe("How many times it was said or found again."),
    confidenceNow: z.number(),
    triggers: z.array(z.string()),
    details: z.record(z.string(), z.unknown()).describe("Files, steps, warnings and the like, where known."),
    inferredTags: z.array(z.string()),
    edges: z.array(shapes.edge),
  }),
  run: async ({ client }, { id }) => client.show(id),
  toText(memory) {
    const { details, edges, strength, confidenceNow, status, supersededBy } = memory
    const links = edges.filter(({ kind }) => kind !== "has-tag")
    return [
      hitText({ ...memory, at: memory.createdAt }),
      `  ${status}${supersededBy ? ` (replaced by ${supersededBy})` : ""}, said ${strength} ×, belief ${confidenceNow.toFixed(2)}`,
      ...(memory.tags.length > 0 ? [`  Tags: ${memory.tags.join(", ")}`] : []),
      ...Object.entries(details).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`),
      ...links.map(({ source, kind, target }) => `  ${source} ${kind} ${target}`),
    ].join("\n")
  },
})
