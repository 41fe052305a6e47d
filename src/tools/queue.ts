import { z } from "zod"
import { endItem, postponeItem } from "../attention/queue.ts"
import { isoTime } from "../base/clock.ts"
import { defineTool, type Tool, type ToolOutcome, toolError } from "../safety/tool.ts"
import { type CycleToolContext, wakeTime } from "./cycle.ts"

const which = z.string().min(2).describe("the item's id")

/** Tools that finish the items of the queue. */
export function queueTools(needs: CycleToolContext): Tool[] {
  return [
    defineTool({
      name: "queue_done",
      description: "Say that a queue item is done, and what came of it.",
      input: z.object({ id: which, result: z.string().min(1).max(2000) }),
      tier: "auto",
      run: ({ id, result }) => endOpenItem(needs, id, "done", result),
    }),
    defineTool({
      name: "queue_failed",
      description: "Say that a queue item cannot be done, and why. It is not tried again.",
      input: z.object({ id: which, reason: z.string().min(3).max(2000) }),
      tier: "auto",
      run: ({ id, reason }) => endOpenItem(needs, id, "failed", reason),
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
        const dueAt = wakeTime(needs.clock, when)
        if (dueAt === undefined) return toolError("Say when: wake_in_minutes or wake_at.")
        const item = await ourItem(needs, id)
        if (item === undefined) return noItem(needs, id)
        const outcome = await needs.screen.redact(reason)
        const moved = { id: item, cycle: needs.cycle, now: needs.clock.now(), dueAt, outcome }
        await needs.db.write((transaction) => postponeItem(transaction, moved, needs.by()))
        return `Put off to ${isoTime(dueAt)}.`
      },
    }),
  ]
}

async function endOpenItem(
  needs: CycleToolContext,
  id: string,
  state: "done" | "failed",
  text: string,
): Promise<ToolOutcome | string> {
  const item = await ourItem(needs, id)
  if (item === undefined) return noItem(needs, id)
  const outcome = await needs.screen.redact(text)
  const ended = { id: item, cycle: needs.cycle, now: needs.clock.now(), state, outcome }
  await needs.db.write((transaction) => endItem(transaction, ended, needs.by()))
  return `Noted: ${item} is ${state}.`
}

/** The open item with this id, or with an id that ends with it. */
async function ourItem(needs: CycleToolContext, id: string): Promise<string | undefined> {
  const found = (await needs.openItems()).filter((item) => item.id === id || item.id.endsWith(id))
  return found.length === 1 ? found[0]?.id : undefined
}

async function noItem(needs: CycleToolContext, id: string): Promise<ToolOutcome> {
  const open = (await needs.openItems()).map((item) => item.id)
  const rest = open.length === 0 ? "No item is open." : `Open are: ${open.join(", ")}.`
  return toolError(`${id} is not an open item of this cycle. ${rest}`)
}
