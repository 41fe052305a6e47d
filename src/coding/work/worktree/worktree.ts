import { readFile, realpath } from "node:fs/promises"
import { dirname, join } from "node:path"
import { makePrivateFolder } from "../../../base/files/files.ts"
import { newId } from "../../../base/random.ts"
import type { Host, Paths } from "../../../config/paths.ts"
import type { Config } from "../../../config/schema.ts"
import { changeGit } from "../../../git/change-git.ts"
import { findWorkTree } from "../../../git/git-folder.ts"
import { type Refused, refused } from "../refused.ts"
import { giveToSandbox } from "../sandbox/bubblewrap.ts"
import { branchFor } from "./branch-name.ts"
import { checkOut, listTree } from "./check-out.ts"
import { removeWorktree, workFolder, writeMarker } from "./marker.ts"
import type { Worktree } from "./record.ts"

interface NewWorktree {
  /** The folder of the user's checkout, or a folder in it. */
  project: string
  /** What the change is about, in words; the branch is named after it. */
  subject: string
  /** The full id of a commit, or a name of one, such as HEAD. */
  base: string
  cycle: string
}

const megabyte = 1024 * 1024
/** At most this many branches for one subject; from the second on they are numbered. */
const mostBranches = 50

/** Creates a worktree of a commit. The user's checkout, index and HEAD do not change, and no program of theirs runs. */
export async function createWorktree(
  needs: Pick<Host, "random"> & { paths: Pick<Paths, "stateDir">; work: Config["work"] },
  wanted: NewWorktree,
): Promise<{ outcome: "created"; worktree: Worktree } | Refused> {
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
  // The marker comes first: if the process dies here, the next start finds and removes the rest.
  writeMarker(needs, begun)
  const filled = await fill(begun, entries, needs.work.disk_mb * megabyte)
  if (typeof filled === "string") {
    await removeWorktree(needs, begun, { branch: true })
    return refused(filled)
  }
  const worktree = { ...begun, ownGitFolder: filled.ownGitFolder }
  writeMarker(needs, worktree)
  return { outcome: "created", worktree }
}

/** Registers the worktree with git, then writes its files and index. Returns the problem, or git's folder for it. */
async function fill(
  { root, gitFolder, branch, base }: Worktree,
  entries: Parameters<typeof checkOut>[1],
  mostBytes: number,
): Promise<string | { ownGitFolder: string }> {
  const made = await changeGit(gitFolder, "worktree", [
    ...["add", "--no-checkout", "--no-track", "-b", branch, root, base],
  ])
  if (made.code !== 0) return `git could not create a worktree: ${lastLine(made.errors)}`
  const [, ownGitFolder] = /^gitdir: (.+?)\s*$/.exec(await readFile(join(root, ".git"), "utf8")) ?? []
  if (ownGitFolder === undefined) return "git created no worktree"
  const problem = await checkOut(gitFolder, entries, root, mostBytes)
  if (problem !== undefined) return `${base.slice(0, 12)} cannot be checked out: ${problem}`
  const read = await changeGit(ownGitFolder, "read-tree", [base])
  if (read.code !== 0) return `git could not read the tree: ${lastLine(read.errors)}`
  await giveToSandbox(root)
  return { ownGitFolder }
}

/** The full id of a named commit. HEAD is that of the checkout, which may be a worktree itself. */
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
  for (let number = 1; number <= mostBranches; number += 1) {
    const branch = number === 1 ? wanted : `${wanted}-${number}`
    const args = ["--verify", "--quiet", `refs/heads/${branch}`]
    if ((await changeGit(gitFolder, "rev-parse", args)).code !== 0) return branch
  }
  return undefined
}

export function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? ""
}
