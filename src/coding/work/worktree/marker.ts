import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, realpathSync } from "node:fs"
import { readFile, rm, rmdir } from "node:fs/promises"
import { hostname } from "node:os"
import { dirname, join } from "node:path"
import { z } from "zod"
import { writeAtomically } from "../../../base/files/files.ts"
import { isWithin, readBounded } from "../../../base/files/read-bounded.ts"
import { isAlive, startOf } from "../../../base/processes.ts"
import type { Paths } from "../../../config/paths.ts"
import { changeGit } from "../../../git/change-git.ts"
import type { Worktree } from "./record.ts"

type MarkerNeeds = { paths: Pick<Paths, "stateDir"> }

const markerSchema = z.object({
  worktree: z.object({
    id: z.string().regex(/^[\w-]+$/),
    root: z.string(),
    project: z.string(),
    gitFolder: z.string(),
    ownGitFolder: z.string(),
    branch: z.string().regex(/^ambient\/[a-z0-9-]+$/),
    base: z.string(),
    tip: z.string(),
    commits: z.array(z.string()),
    cycle: z.string(),
  }),
  /** Who works in it. */
  owner: z.object({ pid: z.number(), host: z.string(), start: z.string().nullable() }),
})

type Marker = z.infer<typeof markerSchema>

const longestMarker = 65_536

/** Where all worktrees of an installation are. */
export function workFolder({ stateDir }: Pick<Paths, "stateDir">): string {
  try {
    return join(realpathSync(stateDir), "work")
  } catch {
    return join(stateDir, "work")
  }
}

function markerFile(needs: MarkerNeeds, id: string): string {
  return join(workFolder(needs.paths), id, "worktree.json")
}

/** Writes down what is there and who works in it. */
export function writeMarker(needs: MarkerNeeds, worktree: Worktree): void {
  const owner = { pid: process.pid, host: hostname(), start: startOf(process.pid) ?? null }
  const marker: Marker = { worktree, owner }
  writeAtomically(markerFile(needs, worktree.id), `${JSON.stringify(marker)}\n`)
}

/** A worktree by its name, as it was last written down. */
export async function readWorktree(needs: MarkerNeeds, id: string): Promise<Worktree | undefined> {
  return (await readMarker(needs, id))?.worktree
}

async function readMarker(needs: MarkerNeeds, id: string): Promise<Marker | undefined> {
  if (!/^[\w-]+$/.test(id)) return undefined
  const read = await readBounded(markerFile(needs, id), longestMarker)
  if (read.outcome !== "read") return undefined
  try {
    const marker = markerSchema.parse(JSON.parse(read.text))
    const isOurs =
      marker.worktree.id === id && isWithin(join(workFolder(needs.paths), id), marker.worktree.root)
    return isOurs ? marker : undefined
  } catch {
    return undefined
  }
}

/** All worktrees that are written down. */
export async function listWorktrees(needs: MarkerNeeds): Promise<Worktree[]> {
  const found = await Promise.all(namesIn(workFolder(needs.paths)).map((id) => readWorktree(needs, id)))
  return found.filter((one) => one !== undefined)
}

/**
 * Removes what a process that died left behind, with its branch; called once at the start. What still waits for a
 * decision is kept, and so is what another living process works in.
 */
export async function removeLeftovers(
  needs: MarkerNeeds,
  isWanted: (worktree: Worktree) => boolean | Promise<boolean>,
): Promise<{ removed: string[]; kept: string[] }> {
  const removed: string[] = []
  const kept: string[] = []
  for (const id of namesIn(workFolder(needs.paths))) {
    const marker = await readMarker(needs, id)
    if (marker !== undefined && (isHeld(marker) || (await isWanted(marker.worktree)))) {
      kept.push(id)
      continue
    }
    if (marker === undefined) await removeFolder(join(workFolder(needs.paths), id))
    else await removeMarked(needs, marker.worktree, { branch: true })
    removed.push(id)
  }
  return { removed, kept }
}

/** Whether another process of this machine that still lives works in it. */
function isHeld({ owner }: Marker): boolean {
  if (owner.host !== hostname()) return false
  if (owner.pid === process.pid || !isAlive(owner.pid)) return false
  return owner.start === null || startOf(owner.pid) === owner.start
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

/** Removes folder, git's note of it and, if asked for, the branch as far as it is still ours; what is written down last. */
export async function removeMarked(
  needs: MarkerNeeds,
  worktree: Worktree,
  { branch }: { branch: boolean },
): Promise<void> {
  await forgetInGit(worktree)
  if (branch) await deleteBranch(worktree)
  await removeFolder(join(workFolder(needs.paths), worktree.id))
}

/** As `git worktree prune` does, for ours alone: the user's own stale ones are theirs. */
async function forgetInGit({ gitFolder, root }: Worktree): Promise<void> {
  const notes = join(gitFolder, "worktrees")
  for (const name of namesIn(notes)) {
    const told = await readFile(join(notes, name, "gitdir"), "utf8").catch(() => "")
    if (told.trim() === join(root, ".git")) await rm(join(notes, name), { recursive: true, force: true })
  }
  // Git removes it too when it was the last.
  await rmdir(notes).catch(() => {})
}

/** Only while it is at a commit that we put there: whatever somebody else added to it stays. */
async function deleteBranch({ gitFolder, branch, base, commits }: Worktree): Promise<void> {
  for (const commit of [base, ...commits].toReversed()) {
    const { code } = await changeGit(gitFolder, "update-ref", ["-d", `refs/heads/${branch}`, commit])
    if (code === 0) return
  }
}

/** Removes a folder whatever a command made in it: deeper than a path can be long, or closed to its owner. */
async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true })
  } catch {
    await runQuietly("/bin/chmod", ["-R", "u+rwX", "--", folder])
    await runQuietly("/bin/rm", ["-rf", "--", folder])
  }
  await rmdir(dirname(folder)).catch(() => {})
}

async function runQuietly(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { stdio: "ignore", env: {} })
  await once(child, "close").catch(() => {})
}
