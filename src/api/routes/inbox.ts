import { approvedTools } from "../../activities/permissions/approved-tools.ts"
import { decideOn, requireRequest } from "../../activities/permissions/decide.ts"
import { createDeeperLook } from "../../recall/choose/read-source.ts"
import type { PermissionRequest } from "../../safety/permission/request.ts"
import { listRequests } from "../../safety/permission/requests.ts"
import { presentRequests, waitingRequests } from "../answers/requests.ts"
import type { AppNeeds } from "../needs.ts"
import type { On } from "../routing.ts"

/** The inbox: what waits for the person, and their say in it. Live updates come with the journal (`permission.`). */
export function inboxRoutes(on: On, needs: AppNeeds): void {
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
    if (shown === undefined) throw new Error("a request that was found is presented")
    return shown
  }

  async function toolsFor(request: PermissionRequest) {
    // Only to check arguments: nothing is run with them here.
    return approvedTools({ ...needs, deeper: createDeeperLook(db) }, request, new Set())
  }
}
