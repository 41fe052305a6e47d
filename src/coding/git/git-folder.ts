import { readFile, realpath, stat } from "node:fs/promises"
import { dirname, isAbsolute, join, resolve } from "node:path"

/** Git's own files of a work tree; the same for all worktrees of one clone. Found without asking git. */
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
    // A worktree or a submodule: a file that says where.
    const [, target] = /^gitdir: (.+?)\s*$/.exec(await shortFile(path)) ?? []
    return target === undefined ? undefined : resolve(folder, target)
  } catch {
    return undefined
  }
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
  try {
    const told = (await shortFile(join(gitFolder, "commondir")).catch(() => "")).trim()
    const folder = told === "" ? gitFolder : isAbsolute(told) ? told : resolve(gitFolder, told)
    return await realpath(folder)
  } catch {
    return undefined
  }
}

const longestPointer = 4096

async function shortFile(path: string): Promise<string> {
  if ((await stat(path)).size > longestPointer) return ""
  return readFile(path, "utf8")
}
