import { realpath, stat } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { readBounded } from "../base/files/read-bounded.ts"

/** A work tree and its git folder, found without running git. */
export interface WorkTree {
  /** The folder with .git in it, whatever the repository's configuration says. */
  root: string
  /** The same for all worktrees of one clone. */
  gitFolder: string
}

/** The work tree that contains a folder; undefined if there is none. */
export async function findWorkTree(folder: string): Promise<WorkTree | undefined> {
  for (let root = folder; ; root = dirname(root)) {
    const own = await ownFolder(root)
    const gitFolder = own && (await common(own))
    if (gitFolder !== undefined) return { root, gitFolder }
    if (root === dirname(root)) return undefined
  }
}

/** The git folder of a work tree or a bare repository; the same for all worktrees of one clone. */
export async function gitFolder(folder: string): Promise<string | undefined> {
  // A folder that is gone must not count as part of a repository above it.
  const found = await stat(folder).catch(() => undefined)
  if (!found?.isDirectory()) return undefined
  for (let current = folder; ; current = dirname(current)) {
    const found = (await ownFolder(current)) ?? ((await isGitFolder(current)) ? current : undefined)
    if (found !== undefined) return common(found)
    if (current === dirname(current)) return undefined
  }
}

async function ownFolder(folder: string): Promise<string | undefined> {
  const path = join(folder, ".git")
  try {
    if ((await stat(path)).isDirectory()) return (await isGitFolder(path)) ? path : undefined
  } catch {
    return undefined
  }
  // In a worktree or a submodule, .git is a file with the path.
  const [, target] = /^gitdir: (.+?)\s*$/.exec(await shortFile(path)) ?? []
  return target === undefined ? undefined : resolve(folder, target)
}

async function isGitFolder(folder: string): Promise<boolean> {
  try {
    const [head, objects] = await Promise.all([stat(join(folder, "HEAD")), stat(join(folder, "objects"))])
    return head.isFile() && objects.isDirectory()
  } catch {
    return false
  }
}

/** The git folder that all worktrees share. */
async function common(gitFolder: string): Promise<string | undefined> {
  const shared = (await shortFile(join(gitFolder, "commondir"))).trim()
  const folder = shared === "" ? gitFolder : resolve(gitFolder, shared)
  return realpath(folder).catch(() => undefined)
}

const longestPointer = 4096

async function shortFile(path: string): Promise<string> {
  const read = await readBounded(path, longestPointer)
  return read.outcome === "read" ? read.text : ""
}
