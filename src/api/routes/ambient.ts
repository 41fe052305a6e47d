import { asItStands, cancel, enqueue, pause, resume, trust, wake } from "../../activities/tend/control.ts"
import { judgeCycle } from "../../activities/tend/feedback.ts"
import { listCycles, requireCycle } from "../../attention/cycles.ts"
import { waitingItems } from "../../attention/queue.ts"
import { UserError } from "../../base/errors.ts"
import { changesBy } from "../../memory/history/changes.ts"
import { rootsOf } from "../../memory/model/project.ts"
import { ambientAnswer } from "../answers/ambient.ts"
import type { Answers } from "../contract/answers.ts"
import { isoTimes } from "../contract/iso-times.ts"
import type { AppNeeds } from "../needs.ts"
import type { On } from "../routing.ts"

/** Tending: how it stands, its queue, its cycles, and the user's say in it. */
export function ambientRoutes(on: On, needs: AppNeeds): void {
  const { db, clock, install } = needs
  on("ambient", () => ambientAnswer(needs))
  on("pause", async ({ minutes }, { by }) => {
    const until = minutes === undefined ? "for-ever" : clock.now() + minutes * 60_000
    await pause(needs, until, by())
    return ambientAnswer(needs)
  })
  on("resume", async (_asked, { by }) => {
    await resume(needs, by())
    return ambientAnswer(needs)
  })
  on("wake", async (_asked, { by }) => {
    if (!needs.daemon)
      throw new UserError("not-running", "The daemon is not running; `reverie start` starts it.")
    await wake(needs, by())
    return ambientAnswer(needs)
  })
  on("trust", async ({ level }, { by }) => {
    await trust(needs, level, by())
    return ambientAnswer(needs)
  })
  on("queue", async () => {
    return { items: (await waitingItems(db, install)).map(isoTimes) }
  })
  on("queueAdd", async (asked, { by }) => {
    const { context: what, minutes, priority, project = null, from = [] } = asked
    const roots = await rootsOf(needs, [project ?? [], from].flat())
    const item = {
      dueAt: clock.now() + minutes * 60_000,
      priority,
      context: await needs.screen.redact(what, roots),
      project,
      createdBy: "user",
    }
    const added = await enqueue(needs, item, by())
    return { outcome: "added", item: isoTimes(added) }
  })
  on("queueCancel", async (_asked, { id, by }) => {
    const cancelled = await cancel(needs, id, by())
    return { outcome: "cancelled", item: isoTimes(cancelled) }
  })
  on("cycles", async ({ limit }) => {
    const isTended = needs.daemon !== undefined
    const cycles = await listCycles(db, install, limit)
    return { cycles: cycles.map((one) => isoTimes(asItStands(one, isTended))) }
  })
  on("cycle", (_asked, { id }) => oneCycle(needs, id))
  on("cycleChanges", async (_asked, { id }) => {
    const { receipt } = await requireCycle(db, install, id)
    const operations = [...new Set(receipt.deeds.map(({ operation }) => operation))]
    return { changes: (await changesBy(db, operations)).map(isoTimes) }
  })
  on("judgeCycle", async (asked, { id, by }) => {
    await judgeCycle(needs, { id, ...asked }, by())
    return oneCycle(needs, id)
  })
}

async function oneCycle({ db, install, daemon }: AppNeeds, id: string): Promise<Answers["cycle"]> {
  const { messages, ...cycle } = await requireCycle(db, install, id)
  return { ...isoTimes(asItStands(cycle, daemon !== undefined)), messages: messages.map(isoTimes) }
}
