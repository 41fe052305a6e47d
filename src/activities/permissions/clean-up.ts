import {
  listWorktrees,
  readWorktree,
  removeStaleWorktrees,
  removeWorktree,
} from "../../coding/work/worktree/marker.ts"
import type { Paths } from "../../config/paths.ts"
import type { PermissionRequest } from "../../safety/permission/request.ts"
import { listRequests } from "../../safety/permission/requests.ts"
import type { Database } from "../../storage/database.ts"

interface WorktreeCleanUp {
  db: Database
  install: string
  paths: Pick<Paths, "stateDir">
}

/** Removes the worktree of a decided change. Its branch is removed too, unless pushing it failed. */
export async function removeDecidedWorktree(
  { paths }: WorktreeCleanUp,
  { call, state }: PermissionRequest,
): Promise<void> {
  const id = workOf(call)
  const worktree = id === undefined ? undefined : await readWorktree({ paths }, id)
  if (worktree) await removeWorktree({ paths }, worktree, { branch: state !== "failed" })
}

/** At a start, removes worktrees of cycles that died, except those with an open request. */
export async function removeOldWorktrees({ db, install, paths }: WorktreeCleanUp): Promise<void> {
  if ((await listWorktrees({ paths })).length === 0) return
  const wanted = await openWork(db, install)
  await removeStaleWorktrees({ paths }, ({ id }) => wanted.has(id))
}

/** At the end of a cycle, removes its worktrees without an open request. */
export async function removeUnproposedWorktrees(
  { db, install, paths }: WorktreeCleanUp,
  cycle: string,
): Promise<void> {
  const own = (await listWorktrees({ paths })).filter((one) => one.cycle === cycle)
  if (own.length === 0) return
  const wanted = await openWork(db, install)
  for (const worktree of own)
    if (!wanted.has(worktree.id)) await removeWorktree({ paths }, worktree, { branch: true })
}

/** The worktrees with an open request. */
async function openWork(db: Database, install: string): Promise<Set<string | undefined>> {
  const waiting = await listRequests(db, install, ["pending", "approved", "running"])
  return new Set(waiting.map(({ call }) => workOf(call)))
}

function workOf(call: PermissionRequest["call"]): string | undefined {
  const work = call?.tool === "push_branch" ? call.input.work : undefined
  return typeof work === "string" ? work : undefined
}
