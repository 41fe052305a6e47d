import { stat } from "node:fs/promises"
import { join } from "node:path"
import { gitFolder } from "../../../git/git-folder.ts"
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
  const head = await askGit(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
  if (head === undefined || (await askGit(root, "rev-parse", "--is-inside-work-tree")) !== "true")
    return undefined
  const branch = await askGit(root, "symbolic-ref", "--quiet", "--short", "HEAD")
  if (branch === undefined || (await isBusy(root))) return undefined
  const name = await mainBranch(root)
  if (name === undefined || name === branch) return { head, main: undefined }
  const main =
    (await commitOf(root, `refs/heads/${name}`)) ?? (await commitOf(root, `refs/remotes/origin/${name}`))
  return { head, main: main === head ? undefined : main }
}

/** A merge, rebase or search for a fault leaves files in a state that nobody meant to stay. */
async function isBusy(root: string): Promise<boolean> {
  const own = (await askGit(root, "rev-parse", "--absolute-git-dir")) ?? (await gitFolder(root))
  if (own === undefined) return true
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

async function mainBranch(root: string): Promise<string | undefined> {
  const told = await askGit(root, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
  if (told?.startsWith("origin/")) return told.slice("origin/".length)
  for (const name of ["main", "master", "trunk"]) if (await commitOf(root, `refs/heads/${name}`)) return name
  return undefined
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
