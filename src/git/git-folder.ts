import { realpath, stat } from "node:fs/promises"
import { dirname, isAbsolute, join, resolve } from "node:path"
import { readBounded } from "../base/files/read-bounded.ts"

/** A work tree and git's own files of it, found without asking git. */
export interface WorkTree {
  /** The folder that has .git in it, whatever the repository's configuration says. */
  root: string
  /** The same for all worktrees of one clone. */
  gitFolder: string
}

/** The work tree that a folder belongs to; undefined outside of one. */
export async function findWorkTree(folder: string): Promise<WorkTree | undefined> {
  for (let root = folder; ; root = dirname(root)) {
    const own = await ownFolder(root)
    const gitFolder = own && (await common(own))
    if (gitFolder !== undefined) return { root, gitFolder }
    if (root === dirname(root)) return undefined
  }
}

/** Git's own files of a work tree or a bare repository; the same for all worktrees of one clone. Found without asking git. */
export async function gitFolder(folder: string): Promise<string | undefined> {
  // A folder that is gone must not be taken for a part of whatever stands above it.
  const found = await stat(folder).catch(() => undefined)
  if (!found?.isDirectory()) return undefined
  for (let current = folder; ; current = dirname(current)) {
    const found = (await ownFolder(current)) ?? (await bareFolder(current))
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
  // A worktree or a submodule: a file that says where.
  const [, target] = /^gitdir: (.+?)\s*$/.exec(await shortFile(path)) ?? []
  return target === undefined ? undefined : resolve(folder, target)
}

async function bareFolder(folder: string): Promise<string | undefined> {
  return (await isGitFolder(folder)) ? folder : undefined
}

async function isGitFolder(folder: string): Promise<boolean> {
  try {
    const [head, objects] = await Promise.all([stat(join(folder, "HEAD")), stat(join(folder, "objects"))])
    return head.isFile() && objects.isDirectory()
  } catch {
    return false
  }
}

/** What several worktrees share. */
async function common(gitFolder: string): Promise<string | undefined> {
  const told = (await shortFile(join(gitFolder, "commondir"))).trim()
  const folder = told === "" ? gitFolder : isAbsolute(told) ? told : resolve(gitFolder, told)
  return realpath(folder).catch(() => undefined)
}

const longestPointer = 4096

async function shortFile(path: string): Promise<string> {
  const read = await readBounded(path, longestPointer)
  return read.outcome === "read" ? read.text : ""
}
