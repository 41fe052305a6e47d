import { stat } from "node:fs/promises"
import { join } from "node:path"
import { askGit } from "../../../git/run-git.ts"
import type { OffLimits } from "../../../privacy/files/off-limits.ts"
import type { Repository } from "../check.ts"
import { openHistory } from "./history.ts"
import { readManifests } from "./manifests.ts"
import { openBranch, openWorkTree, type Tree } from "./tree.ts"
import { openWords } from "./words.ts"

/** The commits that a repository is checked against. */
export interface CheckedOut {
  head: string
  /** The main branch's commit, if another branch is checked out. */
  main: string | undefined
}

/**
 * The commits of a repository; undefined if it cannot be checked: no repository, work tree, commit or branch, or in the
 * middle of a merge or rebase.
 */
export async function readCheckedOut(root: string): Promise<CheckedOut | undefined> {
  const now = await checkedOut(root)
  if (now === undefined || (await isBusy(now.own))) return undefined
  const { head, branch } = now
  const name = await mainBranch(root)
  if (name === undefined || name === branch) return { head, main: undefined }
  const main =
    (await commitOf(root, `refs/heads/${name}`)) ?? (await commitOf(root, `refs/remotes/origin/${name}`))
  return { head, main: main === head ? undefined : main }
}

/** The checked-out commit and branch, and the git folder of the work tree. */
async function checkedOut(root: string): Promise<{ head: string; branch: string; own: string } | undefined> {
  // A path may contain line breaks, so it comes last.
  const args = [
    "--is-inside-work-tree",
    "HEAD^{commit}",
    "--symbolic-full-name",
    "HEAD",
    "--absolute-git-dir",
  ]
  const [isInside, head, ref, ...own] = (await askGit(root, "rev-parse", ...args))?.split("\n") ?? []
  // A detached HEAD is printed as HEAD.
  if (isInside !== "true" || head === undefined || !ref?.startsWith("refs/")) return undefined
  return { head, branch: ref.replace(/^refs\/(?:heads\/)?/, ""), own: own.join("\n") }
}

/** Whether a merge, rebase or bisect is under way: its files are temporary. */
async function isBusy(own: string): Promise<boolean> {
  for (const name of [
    "rebase-merge",
    "rebase-apply",
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "BISECT_LOG",
  ]) {
    const found = await stat(join(own, name)).catch(() => undefined)
    if (found !== undefined) return true
  }
  return false
}

const usualNames = ["main", "master", "trunk"]

async function mainBranch(root: string): Promise<string | undefined> {
  const refs = ["refs/remotes/origin/HEAD", ...usualNames.map((name) => `refs/heads/${name}`)]
  const lines = await askGit(root, "for-each-ref", "--format=%(refname) %(symref)", ...refs)
  const targets = new Map(lines?.split("\n").map((line) => line.split(" ", 2) as [string, string]))
  const origin = targets.get("refs/remotes/origin/HEAD")
  if (origin?.startsWith("refs/remotes/origin/")) return origin.slice("refs/remotes/origin/".length)
  return usualNames.find((name) => targets.has(`refs/heads/${name}`))
}

function commitOf(root: string, ref: string): Promise<string | undefined> {
  return askGit(root, "rev-parse", "--verify", "--quiet", `${ref}^{commit}`)
}

/** Opens a repository for checking claims; undefined if it cannot be read within limits. */
export async function openRepository(
  { root, head, main }: CheckedOut & { root: string },
  offLimits: OffLimits,
  signal?: AbortSignal,
): Promise<Repository | undefined> {
  const isOffLimits = async (path: string) => (await offLimits.reasonFor(root, [path])) !== undefined
  const trees = [
    await openWorkTree(root, signal),
    ...(main === undefined ? [] : [await openBranch(root, main, signal)]),
  ]
  if (trees.includes(undefined)) return undefined
  const checkouts = []
  for (const tree of trees as Tree[])
    checkouts.push({ tree, manifests: await readManifests(tree, isOffLimits) })
  return {
    checkouts,
    words: openWords(trees as Tree[]),
    history: openHistory(root, head, signal),
    isOffLimits,
  }
}
