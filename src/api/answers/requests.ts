import { isoTime } from "../../base/clock.ts"
import { projectNames } from "../../memory/model/known-projects.ts"
import type { PermissionRequest } from "../../safety/permission/request.ts"
import type { RequestJson } from "../contract.ts"
import type { AppNeeds } from "../needs.ts"

/** Permission requests as they travel, with their projects' names. */
export async function presentRequests(
  { db }: Pick<AppNeeds, "db">,
  all: readonly PermissionRequest[],
): Promise<RequestJson[]> {
  const names = await projectNames(
    db,
    all.flatMap(({ project }) => project ?? []),
  )
  return all.map((request) => presentRequest(request, names.get(request.project ?? "") ?? null))
}

function presentRequest(
  { decision, ...request }: PermissionRequest,
  projectName: string | null,
): RequestJson {
  return {
    ...request,
    projectName,
    createdAt: isoTime(request.createdAt),
    expiresAt: isoTime(request.expiresAt),
    decision: decision && { ...decision, at: isoTime(decision.at) },
  }
}
