import { type Context, Hono } from "hono"
import { approvedTools } from "../../activities/permissions/approved-tools.ts"
import { decideOn, requireRequest } from "../../activities/permissions/decide.ts"
import { createDeeperLook } from "../../recall/choose/read-source.ts"
import type { PermissionRequest } from "../../safety/permission/request.ts"
import { listRequests } from "../../safety/permission/requests.ts"
import { schemaVersion } from "../answers/answer.ts"
import { presentRequests } from "../answers/requests.ts"
import { type InboxAnswer, type RequestAnswer, requests } from "../contract.ts"
import { bodyOf, byOf, queryOf } from "../input.ts"
import type { AppNeeds } from "../needs.ts"

/** The inbox: what waits for the person, and their say in it. Live updates come with the journal (`permission.`). */
export function inboxRoutes(needs: AppNeeds): Hono {
  const { db, install, clock } = needs
  const deciding = { ...needs, toolsFor }
  const routes = new Hono()
  routes.get("/", async (context) => {
    const { all } = queryOf(context, requests.inbox)
    const found = await listRequests(db, install, all ? "all" : ["pending"])
    const now = clock.now()
    const shown = all ? found : found.filter(({ expiresAt }) => expiresAt > now)
    return context.json<InboxAnswer>({ schemaVersion, requests: await presentRequests(needs, shown) })
  })
  routes.get("/:id", async (context) => {
    return answerOne(context, await requireRequest(needs, context.req.param("id")))
  })
  routes.post("/:id/decide", async (context) => {
    const { digest, from, ...decision } = await bodyOf(context, requests.decide)
    const by = byOf(context, needs)
    const decider = { who: "owner", from: from ?? by.actor }
    const decided = { id: context.req.param("id"), digest, decision, decider }
    return answerOne(context, await decideOn(deciding, decided, by))
  })
  return routes

  async function answerOne(context: Context, request: PermissionRequest) {
    const [shown] = await presentRequests(needs, [request])
    if (shown === undefined) throw new Error("a request that was found is presented")
    return context.json<RequestAnswer>({ schemaVersion, ...shown })
  }

  async function toolsFor(request: PermissionRequest) {
    // Only to check arguments: nothing is run with them here.
    return approvedTools({ ...needs, deeper: createDeeperLook(db) }, request, new Set())
  }
}
