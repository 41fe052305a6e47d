import { z } from "zod"
import { count } from "../../../base/text/text.ts"
import { memoryText } from "../answer-text.ts"
import { scopeOf } from "../client-context.ts"
import { answerShape, inputs, shapes } from "../shapes.ts"
import { defineMcpTool } from "../tool.ts"

export const historyTool = defineMcpTool({
  name: "memory_history",
  title: "History of a memory",
  description: "Shows everything that happened to a memory, oldest first: who changed what, and when.",
  hints: { readOnly: true },
  input: z.strictObject({
    id: inputs.id,
    limit: z.int().min(1).max(500).default(50).describe("At most this many events, the newest."),
  }),
  output: answerShape({
    id: z.string(),
    events: z.array(
      z.object({
        at: z.string(),
        kind: z.string(),
        actor: z.string(),
        operation: z.string(),
        undoes: z.string().nullable(),
        content: z.string().nullable(),
        changes: z.array(
          z.object({ field: z.string(), from: z.unknown().optional(), to: z.unknown().optional() }),
        ),
        edge: shapes.edge.nullable(),
      }),
    ),
  }),
  async run({ client }, { id, limit }) {
    const history = await client.history(id)
    return { id: history.id, events: history.events.slice(-limit) }
  },
  toText({ id, events }) {
    const lines = events.map(({ at, kind, actor, operation, content, changes, edge }) => {
      const fields = changes.map(({ field }) => field).join(", ")
      const link = edge ? `${edge.source} ${edge.kind} ${edge.target} ${fields}` : ""
      const what = link || fields || (content ?? "")
      return `- ${at} ${kind} by ${actor} (${operation}) ${what}`.trimEnd()
    })
    return [`${id}:`, ...lines].join("\n")
  },
})

export const whyTool = defineMcpTool({
  name: "memory_why",
  title: "Why a memory is believed",
  description: "Explains the confidence in a memory and, given a question, why the question finds it or not.",
  hints: { readOnly: true },
  input: z.strictObject({
    id: inputs.id,
    query: z.string().min(1).max(10_000).optional().describe("The question that should find it."),
    ...inputs.scope,
  }),
  output: answerShape({
    memory: shapes.memory,
    sentences: z.array(z.string()),
    finding: z
      .object({
        found: z.boolean(),
        rank: z.number().nullable(),
        score: z.number().nullable(),
        via: z.array(z.string()),
        reason: z.string().nullable(),
      })
      .optional(),
  }),
  run: async ({ client, context }, { id, query, ...scope }) =>
    client.why(id, { query, ...scopeOf(context, scope) }),
  toText({ memory, sentences, finding }) {
    const rank = finding?.found
      ? `It is found, as number ${finding.rank}.`
      : `It is not found: ${finding?.reason}.`
    return [memoryText(memory), ...sentences, ...(finding ? [rank] : [])].join("\n")
  },
})

export const statusTool = defineMcpTool({
  name: "ambient_status",
  title: "Status of Reverie",
  description: "Shows the state of Reverie: how much it remembers, what tending did, plans and may spend.",
  hints: { readOnly: true },
  input: z.strictObject({}),
  output: answerShape({
    running: z.boolean(),
    version: z.string(),
    status: z.string(),
    reason: z.string().describe("The reason for the status."),
    queue: z.object({ count: z.number(), next: z.string().nullable() }).describe("What is planned."),
    lastCycle: z
      .object({ id: z.string(), startedAt: z.string(), status: z.string(), summary: z.string().nullable() })
      .nullable(),
    nextWake: z.string().nullable(),
    memory: z.object({ active: z.number(), total: z.number(), projects: z.number(), enabled: z.boolean() }),
    budget: z
      .object({ mayRun: z.boolean(), nextAt: z.string().nullable(), reason: z.string() })
      .nullable()
      .describe("Whether it may use a model now; null where it has none."),
  }),
  async run({ client }) {
    const { daemon, queue, ...status } = await client.status()
    const next = queue.next?.context ?? null
    return {
      ...status,
      running: daemon.running,
      version: daemon.version,
      queue: { count: queue.count, next },
    }
  },
  toText({ running, version, memory, status, reason, queue, lastCycle, nextWake, budget }) {
    return [
      `Reverie ${version}, the daemon is ${running ? "running" : "not running"}.`,
      `${count(memory.active, "memory", "memories")} in ${count(memory.projects, "project")}${memory.enabled ? "" : "; memory is switched off"}.`,
      `Tending: ${status}. ${reason}`,
      `Queue: ${queue.count}${queue.next ? `, next: ${queue.next}` : ""}.`,
      ...(lastCycle ? [`Last cycle ${lastCycle.startedAt}: ${lastCycle.summary ?? lastCycle.status}`] : []),
      ...(nextWake ? [`Next wake: ${nextWake}`] : []),
      ...(budget ? [`Budget: ${budget.reason}`] : []),
    ].join("\n")
  },
})
