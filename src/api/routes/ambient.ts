import { Hono } from "hono"
import { asItStands, cancel, enqueue, pause, resume, trust, wake } from "../../activities/tend/control.ts"
import { judgeCycle } from "../../activities/tend/feedback.ts"
import { listCycles, requireCycle } from "../../attention/cycles.ts"
import { waitingItems } from "../../attention/queue.ts"
import { isoTime } from "../../base/clock.ts"
import { UserError } from "../../base/errors.ts"
import { changesBy } from "../../memory/history/changes.ts"
import { rootsOf } from "../../memory/model/project.ts"
import { ambientAnswer, presentCycle, presentItem } from "../answers/ambient.ts"
import { schemaVersion } from "../answers/answer.ts"
import {
  type AmbientAnswer,
  type CycleAnswer,
  type CycleChangesAnswer,
  type CyclesAnswer,
  type QueueAnswer,
  type QueuedAnswer,
  requests,
} from "../contract.ts"
import { bodyOf, byOf, queryOf } from "../input.ts"
import type { AppNeeds } from "../needs.ts"

/** Tending: how it stands, its queue, its cycles, and the user's say in it. */
export function ambientRoutes(needs: AppNeeds): Hono {
  const { db, clock, install } = needs
  const routes = new Hono()
  routes.get("/ambient", async (context) => context.json<AmbientAnswer>(await ambientAnswer(needs)))
  routes.post("/ambient/pause", async (context) => {
    const { minutes } = await bodyOf(context, requests.pause)
    const until = minutes === undefined ? "for-ever" : clock.now() + minutes * 60_000
    await pause(needs, until, byOf(context, needs))
    return context.json<AmbientAnswer>(await ambientAnswer(needs))
  })
  routes.post("/ambient/resume", async (context) => {
    await resume(needs, byOf(context, needs))
    return context.json<AmbientAnswer>(await ambientAnswer(needs))
  })
  routes.post("/ambient/wake", async (context) => {
    if (!needs.daemon)
      throw new UserError("not-running", "The daemon is not running; `reverie start` starts it.")
    await wake(needs, byOf(context, needs))
    return context.json<AmbientAnswer>(await ambientAnswer(needs))
  })
  routes.post("/ambient/trust", async (context) => {
    const { level } = await bodyOf(context, requests.trust)
    await trust(needs, level, byOf(context, needs))
    return context.json<AmbientAnswer>(await ambientAnswer(needs))
  })
  routes.get("/queue", async (context) => {
    const items = (await waitingItems(db, install)).map(presentItem)
    return context.json<QueueAnswer>({ schemaVersion, items })
  })
  routes.post("/queue", async (context) => {
    const asked = await bodyOf(context, requests.queueAdd)
    const { context: what, minutes, priority, project = null, from = [] } = asked
    const roots = await rootsOf(needs, [project ?? [], from].flat())
    const item = {
      dueAt: clock.now() + minutes * 60_000,
      priority,
      context: await needs.screen.redact(what, roots),
      project,
      createdBy: "user",
    }
    const added = await enqueue(needs, item, byOf(context, needs))
    return context.json<QueuedAnswer>({ schemaVersion, outcome: "added", item: presentItem(added) })
  })
  routes.post("/queue/:id/cancel", async (context) => {
    const cancelled = await cancel(needs, context.req.param("id"), byOf(context, needs))
    return context.json<QueuedAnswer>({ schemaVersion, outcome: "cancelled", item: presentItem(cancelled) })
  })
  routes.get("/cycles", async (context) => {
    const { limit } = queryOf(context, requests.cycles)
    const isTended = needs.daemon !== undefined
    const cycles = (await listCycles(db, install, limit)).map((one) =>
      presentCycle(asItStands(one, isTended)),
    )
    return context.json<CyclesAnswer>({ schemaVersion, cycles })
  })
  routes.get("/cycles/:id", async (context) =>
    context.json<CycleAnswer>(await oneCycle(needs, context.req.param("id"))),
  )
  routes.get("/cycles/:id/changes", async (context) => {
    const { receipt } = await requireCycle(db, install, context.req.param("id"))
    const operations = [...new Set(receipt.deeds.map(({ operation }) => operation))]
    const changes = (await changesBy(db, operations)).map((one) => ({ ...one, at: isoTime(one.at) }))
    return context.json<CycleChangesAnswer>({ schemaVersion, changes })
  })
  routes.post("/cycles/:id/verdict", async (context) => {
    const asked = await bodyOf(context, requests.judgeCycle)
    const id = context.req.param("id")
    await judgeCycle(needs, { id, ...asked }, byOf(context, needs))
    return context.json<CycleAnswer>(await oneCycle(needs, id))
  })
  return routes
}

async function oneCycle({ db, install, daemon }: AppNeeds, id: string): Promise<CycleAnswer> {
  const { messages, ...cycle } = await requireCycle(db, install, id)
  const told = messages.map(({ at, message }) => ({ at: isoTime(at), message }))
  return { schemaVersion, ...presentCycle(asItStands(cycle, daemon !== undefined)), messages: told }
}
