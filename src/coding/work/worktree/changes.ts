import { createHash } from "node:crypto"
import { lstat, readlink } from "node:fs/promises"
import { join } from "node:path"
import type { Clock } from "../../../base/clock.ts"
import { messageOf } from "../../../base/errors.ts"
import { openRegular } from "../../../base/files/read-bounded.ts"
import { changeGit } from "../../../git/change-git.ts"
import { openGitIgnored } from "../../../privacy/files/git-ignored.ts"
import { openOffLimits } from "../../../privacy/files/off-limits.ts"
import { isGitName } from "../files/names.ts"
import { walk } from "../files/walk.ts"
import { type Refused, refused } from "../refused.ts"
import { listTree, type TreeEntry } from "./check-out.ts"
import type { Worktree } from "./record.ts"

/** A file that differs from the commit: its new content, or undefined if it is gone. */
type Change = { path: string; now: { mode: TreeEntry["mode"]; content: Buffer } | undefined }

const mostChanged = 500
const largestFile = 4 * 1024 * 1024
const mostFiles = 400_000

/**
 * The differences between a worktree and its last commit. Git would run the filters that attributes name, so we compare
 * the hash of each file instead. Links are not followed. New files that git ignores, files of secrets and nested
 * repositories are left out.
 */
export async function findChanges(
  { clock }: { clock: Clock },
  worktree: Worktree,
): Promise<{ outcome: "found"; changes: Change[] } | Refused> {
  const listed = await listTree(worktree.gitFolder, worktree.tip)
  if ("problem" in listed) return refused(`its last commit cannot be read: ${listed.problem}`)
  const known = new Map(listed.map((entry) => [entry.path, entry]))
  const folders = new Set(listed.flatMap(({ path }) => foldersOf(path)))
  const ignored = openGitIgnored({ clock })
  const offLimits = openOffLimits({ clock })
  const seen = new Set<string>()
  const changes: Change[] = []

  const isIgnored = (path: string) => ignored.has(worktree.root, join(worktree.root, path))

  /** Whether a new file is left out. */
  async function isLeftOut(path: string): Promise<boolean> {
    return (await isIgnored(path)) || (await offLimits.reasonFor(worktree.root, [path])) !== undefined
  }

  /** Adds a file to the changes if it differs. Returns why the whole worktree must be refused, if so. */
  async function compare(path: string): Promise<string | undefined> {
    const entry = known.get(path)
    seen.add(path)
    if (entry === undefined && (await isLeftOut(path))) return undefined
    const now = await readEntry(join(worktree.root, path))
    if (now === undefined) return undefined
    if (entry?.mode === now.mode && entry.id === blobId(now.content, entry.id.length)) return undefined
    if (now.content.length > largestFile) return `${path} is larger than ${largestFile / 1024 / 1024} MB`
    changes.push({ path, now })
    return changes.length > mostChanged ? `more than ${mostChanged} files changed` : undefined
  }

  const mayEnter = async (path: string, { name }: { name: string }) =>
    !isGitName(name) &&
    known.get(path)?.mode !== "160000" &&
    (folders.has(path) || !((await isIgnored(path)) || (await hasGit(join(worktree.root, path)))))

  let count = 0
  try {
    for await (const { path, entry } of walk(worktree.root, { mayEnter })) {
      count += 1
      if (count > mostFiles) return refused(`it has more than ${mostFiles} files`)
      if (entry.isDirectory() || isGitName(entry.name)) continue
      const problem = await compare(path)
      if (problem !== undefined) return refused(problem)
    }
  } catch (error) {
    return refused(`it cannot be read (${messageOf(error)})`)
  }
  const gone = listed.filter(({ path, mode }) => !seen.has(path) && mode !== "160000")
  if (gone.length > mostChanged) return refused(`more than ${mostChanged} files changed`)
  changes.push(...gone.map(({ path }) => ({ path, now: undefined })))
  return { outcome: "found", changes: changes.sort((a, b) => (a.path < b.path ? -1 : 1)) }
}

function foldersOf(path: string): string[] {
  const parts = path.split("/")
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"))
}

/** Whether a folder is a repository of its own. */
async function hasGit(folder: string): Promise<boolean> {
  return (await lstat(join(folder, ".git")).catch(() => undefined)) !== undefined
}

/** A regular file or a link; undefined for anything else. */
async function readEntry(file: string): Promise<Change["now"]> {
  const found = await lstat(file)
  if (found.isSymbolicLink()) return { mode: "120000", content: await readlink(file, { encoding: "buffer" }) }
  if (!found.isFile()) return undefined
  const handle = await openRegular(file)
  if (handle === undefined) return undefined
  try {
    const { size, mode } = await handle.stat()
    // A larger file is not read: the stand-in differs from every commit, so that its size refuses it.
    const content = size > 64 * 1024 * 1024 ? Buffer.alloc(largestFile + 1) : await handle.readFile()
    return { mode: (mode & 0o100) === 0 ? "100644" : "100755", content }
  } finally {
    await handle.close()
  }
}

/** The id that git gives to these bytes. */
function blobId(content: Buffer, length: number): string {
  const hash = createHash(length === 64 ? "sha256" : "sha1")
  return hash.update(`blob ${content.length}\0`).update(content).digest("hex")
}

/** Writes the changes as a tree into the repository, using a separate index. Returns the tree's id. */
export async function writeTree(worktree: Worktree, changes: readonly Change[]): Promise<string | undefined> {
  const { gitFolder, ownGitFolder, tip } = worktree
  const index = join(ownGitFolder, "reverie-index")
  const lines: string[] = []
  for (const { path, now } of changes) {
    if (now === undefined) {
      lines.push(`0 ${"0".repeat(tip.length)}\t${path}\0`)
      continue
    }
    const { code, text } = await changeGit(gitFolder, "hash-object", ["-w", "-t", "blob", "--stdin"], {
      input: now.content,
    })
    if (code !== 0) return undefined
    lines.push(`${now.mode} ${text.trim()}\t${path}\0`)
  }
  const steps = [
    await changeGit(gitFolder, "read-tree", [tip], { index }),
    await changeGit(gitFolder, "update-index", ["-z", "--index-info"], { index, input: lines.join("") }),
  ]
  if (steps.some(({ code }) => code !== 0)) return undefined
  const { code, text } = await changeGit(gitFolder, "write-tree", [], { index })
  return code === 0 ? text.trim() : undefined
}
