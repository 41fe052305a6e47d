import { approvedTools } from "../../activities/permissions/approved-tools.ts"
import { decideOn, requireRequest } from "../../activities/permissions/decide.ts"
import { cancel, enqueue, pause, resume, trust, wake, withDeadCycle } from "../../activities/tend/control.ts"
import { judgeCycle } from "../../activities/tend/feedback.ts"
import { listCycles, requireCycle } from "../../attention/cycles.ts"
import { waitingItems } from "../../attention/queue.ts"
import { changesBy } from "../../memory/history/timeline.ts"
import { rootsOf } from "../../memory/model/project.ts"
import { createSourceReader } from "../../recall/choose/read-source.ts"
import type { PermissionRequest } from "../../safety/permission/request.ts"
import { listRequests } from "../../safety/permission/requests.ts"
import { ambientAnswer } from "../answers/ambient.ts"
import { presentRequests, waitingRequests } from "../answers/requests.ts"
import type { Answers } from "../contract/answers.ts"
import { isoTimes } from "../contract/iso-times.ts"
import { requireDaemon } from "../input.ts"
import type { AppNeeds } from "../needs.ts"
import type { AddRoute } from "../routing.ts"

/** Tending: its state, queue and cycles, and the user's control of it. */
export function ambientRoutes(on: AddRoute, needs: AppNeeds): void {
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
    requireDaemon(needs)
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
    return { cycles: cycles.map((one) => isoTimes(withDeadCycle(one, isTended))) }
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
  return { ...isoTimes(withDeadCycle(cycle, daemon !== undefined)), messages: messages.map(isoTimes) }
}

/** The inbox: permission requests and decisions. Live updates come with the journal (`permission.`). */
export function inboxRoutes(on: AddRoute, needs: AppNeeds): void {
  const { db, install } = needs
  const deciding = { ...needs, toolsFor }
  on("inbox", async ({ all }) => {
    const shown = all ? await listRequests(db, install, "all") : await waitingRequests(needs)
    return { requests: await presentRequests(needs, shown) }
  })
  on("request", async (_asked, { id }) => present(await requireRequest(needs, id)))
  on("decide", async ({ digest, from, ...decision }, call) => {
    const by = call.by()
    const decider = { who: "owner", from: from ?? by.actor }
    const decided = { id: call.id, digest, decision, decider }
    return present(await decideOn(deciding, decided, by))
  })

  async function present(request: PermissionRequest) {
    const [shown] = await presentRequests(needs, [request])
    if (shown === undefined) throw new Error("the request was not presented")
    return shown
  }

  async function toolsFor(request: PermissionRequest) {
    // Only to check arguments: nothing is run with them here.
    return approvedTools({ ...needs, sourceReader: createSourceReader(db) }, request, new Set())
  }
}
