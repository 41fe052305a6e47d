import { listWorktrees, readWorktree, removeLeftovers } from "../../coding/work/worktree/marker.ts"
import { removeWorktree } from "../../coding/work/worktree/worktree.ts"
import type { Paths } from "../../config/paths.ts"
import type { PermissionRequest } from "../../safety/permission/request.ts"
import { listRequests } from "../../safety/permission/requests.ts"
import type { Database } from "../../storage/database.ts"

interface CleanNeeds {
  db: Database
  install: string
  paths: Pick<Paths, "stateDir">
}

/** Removes the worktree of a change that was decided. The branch goes with it, unless pushing it failed. */
export async function removeSettled(
  { paths }: CleanNeeds,
  { call, state }: PermissionRequest,
): Promise<void> {
  const id = workOf(call)
  const worktree = id === undefined ? undefined : await readWorktree({ paths }, id)
  if (worktree) await removeWorktree({ paths }, worktree, { branch: state !== "failed" })
}

/** At a start: removes the worktrees that a cycle left which died, and keeps those that wait for the person. */
export async function removeUnwanted({ db, install, paths }: CleanNeeds): Promise<void> {
  if ((await listWorktrees({ paths })).length === 0) return
  const waiting = await listRequests(db, install, ["pending", "approved", "running"])
  const wanted = new Set(waiting.map(({ call }) => workOf(call)))
  await removeLeftovers({ paths }, ({ id }) => wanted.has(id))
}

/** At the end of a cycle: removes the worktrees that it began and put before nobody. */
export async function removeUnasked({ db, install, paths }: CleanNeeds, cycle: string): Promise<void> {
  const own = (await listWorktrees({ paths })).filter((one) => one.cycle === cycle)
  if (own.length === 0) return
  const waiting = await listRequests(db, install, ["pending", "approved", "running"])
  const wanted = new Set(waiting.map(({ call }) => workOf(call)))
  for (const worktree of own)
    if (!wanted.has(worktree.id)) await removeWorktree({ paths }, worktree, { branch: true })
}

function workOf(call: PermissionRequest["call"]): string | undefined {
  const work = call?.tool === "push_branch" ? call.input.work : undefined
  return typeof work === "string" ? work : undefined
}
