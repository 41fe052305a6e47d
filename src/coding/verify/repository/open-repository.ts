import { stat } from "node:fs/promises"
import { join } from "node:path"
import { askGit } from "../../../git/run-git.ts"
import type { OffLimits } from "../../../privacy/files/off-limits.ts"
import type { Repository } from "../check.ts"
import { openHistory } from "./history.ts"
import { readManifests } from "./manifests.ts"
import { openBranch, openWorkTree, type Tree } from "./tree.ts"
import { openWords } from "./words.ts"

/** Which commits a repository is at. */
export interface Standing {
  head: string
  /** The main branch's commit where another branch is checked out. */
  main: string | undefined
}

/**
 * Where a repository stands, or undefined where nothing can be said of it: no repository, no work tree, no commit, no
 * branch checked out, or in the middle of something.
 */
export async function standingOf(root: string): Promise<Standing | undefined> {
  const now = await checkedOut(root)
  if (now === undefined || (await isBusy(now.own))) return undefined
  const { head, branch } = now
  const name = await mainBranch(root)
  if (name === undefined || name === branch) return { head, main: undefined }
  const main =
    (await commitOf(root, `refs/heads/${name}`)) ?? (await commitOf(root, `refs/remotes/origin/${name}`))
  return { head, main: main === head ? undefined : main }
}

/** The commit and the branch that are checked out, and git's own folder of the work tree. */
async function checkedOut(root: string): Promise<{ head: string; branch: string; own: string } | undefined> {
  // A path may have lines of its own, so it comes last.
  const asked = [
    "--is-inside-work-tree",
    "HEAD^{commit}",
    "--symbolic-full-name",
    "HEAD",
    "--absolute-git-dir",
  ]
  const [isInside, head, ref, ...own] = (await askGit(root, "rev-parse", ...asked))?.split("\n") ?? []
  // A detached HEAD is told as HEAD.
  if (isInside !== "true" || head === undefined || !ref?.startsWith("refs/")) return undefined
  return { head, branch: ref.replace(/^refs\/(?:heads\/)?/, ""), own: own.join("\n") }
}

/** A merge, rebase or search for a fault leaves files in a state that nobody meant to stay. */
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
  const told = await askGit(root, "for-each-ref", "--format=%(refname) %(symref)", ...refs)
  const targets = new Map(told?.split("\n").map((line) => line.split(" ", 2) as [string, string]))
  const origin = targets.get("refs/remotes/origin/HEAD")
  if (origin?.startsWith("refs/remotes/origin/")) return origin.slice("refs/remotes/origin/".length)
  return usualNames.find((name) => targets.has(`refs/heads/${name}`))
}

function commitOf(root: string, ref: string): Promise<string | undefined> {
  return askGit(root, "rev-parse", "--verify", "--quiet", `${ref}^{commit}`)
}

/** Opens a repository for looking things up in it; undefined if it cannot be read within its bounds. */
export async function openRepository(
  { root, head, main }: Standing & { root: string },
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
