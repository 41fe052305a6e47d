import type { PermissionRequest } from "../../safety/permission/request.ts"
import { listRequests } from "../../safety/permission/requests.ts"
import { isoTimes } from "../contract/iso-times.ts"
import type { RequestJson } from "../contract/tending-answers.ts"
import type { AppNeeds } from "../needs.ts"
import { nameProjects } from "./projects.ts"

/** Permission requests as JSON, with the names of their projects. */
export async function presentRequests(
  { db }: Pick<AppNeeds, "db">,
  all: readonly PermissionRequest[],
): Promise<RequestJson[]> {
  const nameOf = await nameProjects(db, all)
  return all.map(({ decision, ...request }) => ({
    ...isoTimes(request),
    projectName: nameOf(request),
    decision: decision && isoTimes(decision),
  }))
}

/** The requests that wait for the user. */
export async function waitingRequests(needs: AppNeeds): Promise<PermissionRequest[]> {
  const now = needs.clock.now()
  const pending = await listRequests(needs.db, needs.install, ["pending"])
  return pending.filter(({ expiresAt }) => expiresAt > now)
}
