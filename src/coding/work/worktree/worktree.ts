import { readFile, realpath } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { Clock } from "../../../base/clock.ts"
import { makePrivateFolder } from "../../../base/files/files.ts"
import { newId, type Random } from "../../../base/random.ts"
import type { Paths } from "../../../config/paths.ts"
import type { Config } from "../../../config/schema.ts"
import { changeGit } from "../../../git/change-git.ts"
import { findWorkTree } from "../../../git/git-folder.ts"
import { giveToSandbox } from "../sandbox/bubblewrap.ts"
import { branchFor } from "./branch-name.ts"
import { checkOut, listTree } from "./check-out.ts"
import { removeMarked, workFolder, writeMarker } from "./marker.ts"
import type { Worktree } from "./record.ts"

export interface WorktreeNeeds {
  clock: Clock
  random: Random
  paths: Pick<Paths, "stateDir">
  work: Config["work"]
}

interface NewWorktree {
  /** The folder of the user's checkout, or one in it. */
  project: string
  /** What the change is about, in words; becomes the name of the branch. */
  subject: string
  /** The whole id of a commit, or a name that leads to one, such as HEAD. */
  base: string
  cycle: string
}

type Created = { outcome: "created"; worktree: Worktree } | { outcome: "refused"; reason: string }

const megabyte = 1024 * 1024
/** A second piece of work on the same subject gets a number. */
const mostAlike = 50

/** Makes a worktree of a commit. The user's checkout, index and HEAD stay as they are, and no program is run. */
export async function createWorktree(needs: WorktreeNeeds, wanted: NewWorktree): Promise<Created> {
  if (!needs.work.enabled) return refused("work.enabled is false")
  const found = await findWorkTree(await realpath(wanted.project).catch(() => wanted.project))
  if (found === undefined) return refused(`${wanted.project} is in no git repository`)
  const { gitFolder, root: project } = found
  const base = await commitAt(gitFolder, project, wanted.base)
  if (base === undefined) return refused(`there is no commit ${wanted.base}`)
  const entries = await listTree(gitFolder, base)
  if ("problem" in entries) return refused(`${base.slice(0, 12)} cannot be checked out: ${entries.problem}`)
  const branch = await freeBranch(gitFolder, branchFor(wanted.subject))
  if (branch === undefined) return refused("there are too many branches for the same subject")
  const id = newId(needs.random, "work")
  makePrivateFolder(needs.paths.stateDir)
  const root = join(workFolder(needs.paths), id, branch.slice(branch.indexOf("/") + 1))
  const { cycle } = wanted
  const begun: Worktree = {
    ...{ id, root, project, gitFolder, ownGitFolder: "", branch, base, tip: base, commits: [], cycle },
  }
  makePrivateFolder(dirname(root))
  // Written down first: whatever is left when the process dies here is found.
  writeMarker(needs, begun)
  const reason = await fill(begun, entries, needs.work.disk_mb * megabyte)
  if (typeof reason === "string") {
    await removeMarked(needs, begun, { branch: true })
    return refused(reason)
  }
  const worktree = { ...begun, ownGitFolder: reason.ownGitFolder }
  writeMarker(needs, worktree)
  return { outcome: "created", worktree }
}

/** Has git note the worktree, then writes its files and its index. Gives what went wrong, or git's folder for it. */
async function fill(
  { root, gitFolder, branch, base }: Worktree,
  entries: Parameters<typeof checkOut>[1],
  mostBytes: number,
): Promise<string | { ownGitFolder: string }> {
  const made = await changeGit(gitFolder, "worktree", [
    ...["add", "--no-checkout", "--no-track", "-b", branch, root, base],
  ])
  if (made.code !== 0) return `git makes no worktree: ${lastLine(made.errors)}`
  const [, ownGitFolder] = /^gitdir: (.+?)\s*$/.exec(await readFile(join(root, ".git"), "utf8")) ?? []
  if (ownGitFolder === undefined) return "git made no worktree"
  const problem = await checkOut(gitFolder, entries, root, mostBytes)
  if (problem !== undefined) return `${base.slice(0, 12)} cannot be checked out: ${problem}`
  const read = await changeGit(ownGitFolder, "read-tree", [base])
  if (read.code !== 0) return `git reads no tree: ${lastLine(read.errors)}`
  await giveToSandbox(root)
  return { ownGitFolder }
}

/** The whole id that a name stands for; HEAD is the checkout's, which may be a worktree itself. */
async function commitAt(gitFolder: string, project: string, name: string): Promise<string | undefined> {
  if (name.startsWith("-")) return undefined
  const own = await ownGitFolderOf(project)
  const args = ["--verify", "--quiet", "--end-of-options", `${name}^{commit}`]
  const { code, text } = await changeGit(own ?? gitFolder, "rev-parse", args)
  const id = text.trim().split("\n").at(-1) ?? ""
  return code === 0 && /^[0-9a-f]{40,64}$/.test(id) ? id : undefined
}

async function ownGitFolderOf(root: string): Promise<string | undefined> {
  const pointer = await readFile(join(root, ".git"), "utf8").catch(() => "")
  return /^gitdir: (\/.+?)\s*$/.exec(pointer)?.[1]
}

async function freeBranch(gitFolder: string, wanted: string): Promise<string | undefined> {
  for (let number = 1; number <= mostAlike; number += 1) {
    const branch = number === 1 ? wanted : `${wanted}-${number}`
    const args = ["--verify", "--quiet", `refs/heads/${branch}`]
    if ((await changeGit(gitFolder, "rev-parse", args)).code !== 0) return branch
  }
  return undefined
}

export function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? ""
}

function refused(reason: string): Created {
  return { outcome: "refused", reason }
}

/** Removes a worktree with its folder; its branch only if that is asked for. */
export async function removeWorktree(
  needs: Pick<WorktreeNeeds, "paths">,
  worktree: Worktree,
  { branch }: { branch: boolean },
): Promise<void> {
  await removeMarked(needs, worktree, { branch })
}
