import { z } from "zod"
import type { Progress } from "../attention/cycles.ts"
import { addItem } from "../attention/queue.ts"
import { type Clock, isoTime, parseTime } from "../base/clock.ts"
import type { MemoryCore } from "../memory/model/memory-core.ts"
import { defineTool, type Tool, toolError } from "../safety/tool.ts"
import type { By } from "../storage/journal.ts"

/** How the agent ended its cycle. */
export interface Ending {
  summary: string
  /** When it wants to be woken, and what for. */
  wake: { at: number; context: string } | null
}

/** A cycle, for the tools that control it. */
export interface CycleToolContext extends Pick<MemoryCore, "db" | "clock" | "random" | "screen"> {
  install: string
  cycle: string
  /** A new operation of the cycle for each call. */
  by(): By
  /** Queue items that the cycle claimed and has not finished. */
  openItems(): Promise<{ id: string }[]>
  onTodos(todos: Progress["todos"]): Promise<void>
  onEnding(ending: Ending): void
}

const wakeFields = {
  wake_in_minutes: z.number().min(1).max(100_000).optional().describe("minutes from now"),
  wake_at: z.string().optional().describe("an ISO time, instead of minutes"),
  context: z.string().min(1).max(2000).describe("what to do then, so that you know it again"),
}

export function cycleTools(needs: CycleToolContext): Tool[] {
  return [todosTool(needs), scheduleTool(needs), endTool(needs)]
}

function todosTool(needs: CycleToolContext): Tool {
  return defineTool({
    name: "todos",
    description: "Replace your list of what you plan in this cycle. Mark what is done.",
    input: z.object({ items: z.array(z.object({ text: z.string().max(300), done: z.boolean() })).max(50) }),
    tier: "auto",
    async run({ items }) {
      const todos = items.map(async ({ text, done }) => ({ text: await needs.screen.redact(text), done }))
      await needs.onTodos(await Promise.all(todos))
      return `Noted: ${items.filter(({ done }) => done).length} of ${items.length} done.`
    },
  })
}

function scheduleTool(needs: CycleToolContext): Tool {
  return defineTool({
    name: "schedule_ambient",
    description: "Plan something for a later cycle.",
    input: z.object({ ...wakeFields, priority: z.enum(["low", "normal", "high"]).default("normal") }),
    tier: "auto",
    async run({ context, priority, ...when }) {
      const dueAt = wakeTime(needs.clock, when)
      if (dueAt === undefined) return toolError("Say when: wake_in_minutes or wake_at.")
      const screened = await needs.screen.redact(context)
      const item = { dueAt, priority, context: screened, project: null, createdBy: needs.cycle }
      const where = { install: needs.install, random: needs.random, now: needs.clock.now() }
      const { id } = await needs.db.write((transaction) => addItem(transaction, where, item, needs.by()))
      return `Planned as ${id} for ${isoTime(dueAt)}.`
    },
  })
}

function endTool(needs: CycleToolContext): Tool {
  let wasReminded = false
  return defineTool({
    name: "end_ambient_cycle",
    description: "End the cycle. Required, as the last call.",
    input: z.object({
      summary: z.string().min(1).max(4000).describe("what you did, for the person"),
      next_schedule: z.object(wakeFields).partial({ context: true }).nullish(),
    }),
    tier: "auto",
    async run({ summary, next_schedule }) {
      const open = await needs.openItems()
      if (open.length > 0 && !wasReminded) {
        wasReminded = true
        const which = open.map(({ id }) => id).join(", ")
        return toolError(
          `Not ended yet: say of each queue item what came of it, with queue_done, queue_failed or queue_later: ${which}. What you leave open waits for the next cycle.`,
        )
      }
      const at = next_schedule ? wakeTime(needs.clock, next_schedule) : undefined
      const context = await needs.screen.redact(next_schedule?.context ?? "")
      needs.onEnding({
        summary: await needs.screen.redact(summary),
        wake: at === undefined ? null : { at, context },
      })
      return { text: "The cycle has ended.", ends: true }
    },
  })
}

/** The time that a model named, in minutes or as an ISO time. */
export function wakeTime(
  clock: Clock,
  when: { wake_in_minutes?: number | undefined; wake_at?: string | undefined },
): number | undefined {
  if (when.wake_in_minutes !== undefined) return clock.now() + when.wake_in_minutes * 60_000
  const at = when.wake_at === undefined ? undefined : parseTime(when.wake_at)
  return at === undefined ? undefined : Math.max(at, clock.now())
}
