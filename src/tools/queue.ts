import { z } from "zod"
import { endItem, postponeItem } from "../attention/queue.ts"
import { isoTime } from "../base/clock.ts"
import { defineTool, type Tool, type ToolOutcome, wrong } from "../safety/tool.ts"
import { type CycleDesk, momentOf } from "./cycle.ts"

const which = z.string().min(2).describe("the item's id")

/** Finishing the items of the queue, each by itself. */
export function queueTools(desk: CycleDesk): Tool[] {
  return [
    defineTool({
      name: "queue_done",
      description: "Say that a queue item is done, and what came of it.",
      input: z.object({ id: which, result: z.string().min(1).max(2000) }),
      tier: "auto",
      run: ({ id, result }) => end(desk, id, "done", result),
    }),
    defineTool({
      name: "queue_failed",
      description: "Say that a queue item cannot be done, and why. It is not tried again.",
      input: z.object({ id: which, reason: z.string().min(3).max(2000) }),
      tier: "auto",
      run: ({ id, reason }) => end(desk, id, "failed", reason),
    }),
    defineTool({
      name: "queue_later",
      description: "Put a queue item off to a later moment, and say why.",
      input: z.object({
        id: which,
        wake_in_minutes: z.number().min(1).max(100_000).optional(),
        wake_at: z.string().optional(),
        reason: z.string().min(3).max(2000),
      }),
      tier: "auto",
      async run({ id, reason, ...when }) {
        const dueAt = momentOf(desk.clock, when)
        if (dueAt === undefined) return wrong("Say when: wake_in_minutes or wake_at.")
        const item = await ourItem(desk, id)
        if (item === undefined) return noItem(desk, id)
        const outcome = await desk.screen.redact(reason)
        const moved = { id: item, cycle: desk.cycle, now: desk.clock.now(), dueAt, outcome }
        await desk.db.write((transaction) => postponeItem(transaction, moved, desk.by()))
        return `Put off to ${isoTime(dueAt)}.`
      },
    }),
  ]
}

async function end(
  desk: CycleDesk,
  id: string,
  state: "done" | "failed",
  said: string,
): Promise<ToolOutcome | string> {
  const item = await ourItem(desk, id)
  if (item === undefined) return noItem(desk, id)
  const outcome = await desk.screen.redact(said)
  const ended = { id: item, cycle: desk.cycle, now: desk.clock.now(), state, outcome }
  await desk.db.write((transaction) => endItem(transaction, ended, desk.by()))
  return `Noted: ${item} is ${state}.`
}

/** The item of this cycle that an id, or the end of one, means. */
async function ourItem(desk: CycleDesk, id: string): Promise<string | undefined> {
  const found = (await desk.openItems()).filter((item) => item.id === id || item.id.endsWith(id))
  return found.length === 1 ? found[0]?.id : undefined
}

async function noItem(desk: CycleDesk, id: string): Promise<ToolOutcome> {
  const open = (await desk.openItems()).map((item) => item.id)
  const rest = open.length === 0 ? "No item is open." : `Open are: ${open.join(", ")}.`
  return wrong(`${id} is no item that this cycle has to do. ${rest}`)
}
