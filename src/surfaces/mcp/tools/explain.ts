import { z } from "zod"
import { viewFrom } from "../client-context.ts"
import { memoryText } from "../say.ts"
import { answerShape, inputs, shapes } from "../shapes.ts"
import { defineMcpTool } from "../tool.ts"

export const historyTool = defineMcpTool({
  name: "memory_history",
  title: "History of a memory",
  description: "Tells everything that happened to a memory, oldest first: who changed what, and when.",
  hints: { readOnly: true },
  input: z.strictObject({
    id: inputs.id,
    limit: z.int().min(1).max(500).default(50).describe("Only the last so many events."),
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
  say({ id, events }) {
    const lines = events.map(({ at, kind, actor, operation, content, changes }) => {
      const what = changes.length > 0 ? changes.map(({ field }) => field).join(", ") : (content ?? "")
      return `- ${at} ${kind} by ${actor} (${operation}) ${what}`.trimEnd()
    })
    return [`${id}:`, ...lines].join("\n")
  },
})

export const whyTool = defineMcpTool({
  name: "memory_why",
  title: "Why a memory is believed",
  description:
    "Tells why a memory is believed as far as it is, and, given a question, why that finds it or does not.",
  hints: { readOnly: true },
  input: z.strictObject({
    id: inputs.id,
    query: z.string().min(1).max(10_000).optional().describe("The question that should find it."),
    ...inputs.view,
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
  run: async ({ client, context }, { id, query, ...view }) =>
    client.why(id, { query, ...viewFrom(context, view) }),
  say({ memory, sentences, finding }) {
    const rank = finding?.found
      ? `It is found, as number ${finding.rank}.`
      : `It is not found: ${finding?.reason}.`
    return [memoryText(memory), ...sentences, ...(finding ? [rank] : [])].join("\n")
  },
})

export const statusTool = defineMcpTool({
  name: "ambient_status",
  title: "Status of Reverie",
  description: "Tells how Reverie stands: how much it remembers, what tending did, plans and may spend.",
  hints: { readOnly: true },
  input: z.strictObject({}),
  output: answerShape({
    running: z.boolean(),
    version: z.string(),
    status: z.string(),
    reason: z.string().describe("Why it is as it is."),
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
    const { daemon, queue, ...told } = await client.status()
    const next = queue.next?.context ?? null
    return { ...told, running: daemon.running, version: daemon.version, queue: { count: queue.count, next } }
  },
  say({ running, version, memory, status, reason, queue, lastCycle, nextWake, budget }) {
    return [
      `Reverie ${version}, the daemon is ${running ? "running" : "not running"}.`,
      `${memory.active} memories in ${memory.projects} projects${memory.enabled ? "" : "; memory is switched off"}.`,
      `Tending: ${status}. ${reason}`,
      `Queue: ${queue.count}${queue.next ? `, next: ${queue.next}` : ""}.`,
      ...(lastCycle ? [`Last cycle ${lastCycle.startedAt}: ${lastCycle.summary ?? lastCycle.status}`] : []),
      ...(nextWake ? [`Next wake: ${nextWake}`] : []),
      ...(budget ? [`Budget: ${budget.reason}`] : []),
    ].join("\n")
  },
})
