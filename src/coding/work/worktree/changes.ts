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
import { listTree, type TreeEntry } from "./check-out.ts"
import type { Worktree } from "./record.ts"

/** A file that differs from the commit: what it is now, or that it is gone. */
type Change = { path: string; now: { mode: TreeEntry["mode"]; content: Buffer } | undefined }

type Changes =
  /** `leftOut` are new files that are not taken: ignored ones are not named, these are and why. */
  { outcome: "found"; changes: Change[]; leftOut: { path: string; reason: string }[] } | Refused

interface Refused {
  outcome: "refused"
  reason: string
}

const mostChanged = 500
const largestFile = 4 * 1024 * 1024
const mostFiles = 400_000

/**
 * What differs in a worktree from its last commit. Git is not asked, because it would ask the filters that attributes
 * name: each file's bytes are compared by their hash. Links are never followed; folders that have a .git are left out.
 */
export async function findChanges({ clock }: { clock: Clock }, worktree: Worktree): Promise<Changes> {
  const listed = await listTree(worktree.gitFolder, worktree.tip)
  if ("problem" in listed) return refused(`its last commit cannot be read: ${listed.problem}`)
  const known = new Map(listed.map((entry) => [entry.path, entry]))
  const folders = new Set(listed.flatMap(({ path }) => foldersOf(path)))
  const ignored = openGitIgnored({ clock })
  const offLimits = openOffLimits({ clock })
  const seen = new Set<string>()
  const changes: Change[] = []
  const leftOut: { path: string; reason: string }[] = []

  const isNewAndIgnored = (path: string) => ignored.has(worktree.root, join(worktree.root, path))

  /** Whether a new file is not taken. */
  async function isLeftOut(path: string): Promise<boolean> {
    if (await isNewAndIgnored(path)) return true
    const reason = await offLimits.reasonFor(worktree.root, [path])
    if (reason !== undefined) leftOut.push({ path, reason })
    return reason !== undefined
  }

  async function look(path: string): Promise<string | undefined> {
    const entry = known.get(path)
    seen.add(path)
    if (entry === undefined && (await isLeftOut(path))) return undefined
    const now = await readEntry(join(worktree.root, path))
    if (now === undefined) {
      leftOut.push({ path, reason: "it is neither a file nor a link" })
      return undefined
    }
    if (entry?.mode === now.mode && entry.id === blobId(now.content, entry.id.length)) return undefined
    if (now.content.length > largestFile) return `${path} is larger than ${largestFile / 1024 / 1024} MB`
    changes.push({ path, now })
    return changes.length > mostChanged ? `more than ${mostChanged} files changed` : undefined
  }

  const mayEnter = async (path: string, { name }: { name: string }) =>
    !isGitName(name) &&
    known.get(path)?.mode !== "160000" &&
    (folders.has(path) || !(await isApart(worktree.root, path, leftOut, isNewAndIgnored)))

  let count = 0
  try {
    for await (const { path, entry } of walk(worktree.root, { mayEnter })) {
      count += 1
      if (count > mostFiles) return refused(`it has more than ${mostFiles} files`)
      if (entry.isDirectory() || isGitName(entry.name)) continue
      const problem = await look(path)
      if (problem !== undefined) return refused(problem)
    }
  } catch (error) {
    return refused(`it cannot be read (${messageOf(error)})`)
  }
  const gone = listed.filter(({ path, mode }) => !seen.has(path) && mode !== "160000")
  if (gone.length > mostChanged) return refused(`more than ${mostChanged} files changed`)
  changes.push(...gone.map(({ path }) => ({ path, now: undefined })))
  return { outcome: "found", changes: changes.sort((a, b) => (a.path < b.path ? -1 : 1)), leftOut }
}

function foldersOf(path: string): string[] {
  const parts = path.split("/")
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"))
}

/** Whether a new folder is not looked into: ignored, or a repository of its own. */
async function isApart(
  root: string,
  path: string,
  leftOut: { path: string; reason: string }[],
  isIgnored: (path: string) => Promise<boolean>,
): Promise<boolean> {
  if (await isIgnored(path)) return true
  const own = await lstat(join(root, path, ".git")).catch(() => undefined)
  if (own === undefined) return false
  leftOut.push({ path, reason: "it is a repository of its own" })
  return true
}

/** A regular file or a link as it stands there; undefined for anything else. */
async function readEntry(file: string): Promise<Change["now"]> {
  const found = await lstat(file)
  if (found.isSymbolicLink()) return { mode: "120000", content: await readlink(file, { encoding: "buffer" }) }
  if (!found.isFile()) return undefined
  const handle = await openRegular(file)
  if (handle === undefined) return undefined
  try {
    const { size, mode } = await handle.stat()
    // A file with more is not compared: it is refused by its size if it is new or changed, which only this can tell.
    const content = size > 64 * 1024 * 1024 ? Buffer.alloc(largestFile + 1) : await handle.readFile()
    return { mode: (mode & 0o100) === 0 ? "100644" : "100755", content }
  } finally {
    await handle.close()
  }
}

/** The name that git gives to these bytes. */
function blobId(content: Buffer, length: number): string {
  const hash = createHash(length === 64 ? "sha256" : "sha1")
  return hash.update(`blob ${content.length}\0`).update(content).digest("hex")
}

/** Writes changes into git's own files as a tree, with an index of its own. Gives the tree's id. */
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

function refused(reason: string): Refused {
  return { outcome: "refused", reason }
}
