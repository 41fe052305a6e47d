import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync } from "node:fs"
import { readFile, rm, rmdir } from "node:fs/promises"
import { hostname } from "node:os"
import { dirname, join } from "node:path"
import { z } from "zod"
import { realPath, writeAtomically } from "../../../base/files/files.ts"
import { isWithin, readBounded } from "../../../base/files/read-bounded.ts"
import { isAlive, processStartTime } from "../../../base/processes.ts"
import type { Paths } from "../../../config/paths.ts"
import { changeGit } from "../../../git/change-git.ts"
import { type Worktree, worktreeSchema } from "./record.ts"

/** Where markers are stored. */
interface StateFolder {
  paths: Pick<Paths, "stateDir">
}

const markerSchema = z.object({
  worktree: worktreeSchema,
  /** The process that works in it. */
  owner: z.object({ pid: z.number(), host: z.string(), start: z.string().nullable() }),
})

type Marker = z.infer<typeof markerSchema>

const longestMarker = 65_536

/** The folder of all worktrees of an installation. */
export function workFolder({ stateDir }: Pick<Paths, "stateDir">): string {
  return join(realPath(stateDir) ?? stateDir, "work")
}

function markerFile(needs: StateFolder, id: string): string {
  return join(workFolder(needs.paths), id, "worktree.json")
}

/** Writes a worktree's marker file, with this process as its owner. */
export function writeMarker(needs: StateFolder, worktree: Worktree): void {
  const owner = { pid: process.pid, host: hostname(), start: processStartTime(process.pid) ?? null }
  const marker: Marker = { worktree, owner }
  writeAtomically(markerFile(needs, worktree.id), `${JSON.stringify(marker)}\n`)
}

/** A worktree by its name, as its marker file describes it. */
export async function readWorktree(needs: StateFolder, id: string): Promise<Worktree | undefined> {
  return (await readMarker(needs, id))?.worktree
}

async function readMarker(needs: StateFolder, id: string): Promise<Marker | undefined> {
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

/** All worktrees with a marker file. */
export async function listWorktrees(needs: StateFolder): Promise<Worktree[]> {
  const found = await Promise.all(namesIn(workFolder(needs.paths)).map((id) => readWorktree(needs, id)))
  return found.filter((one) => one !== undefined)
}

/**
 * Removes worktrees of processes that died, with their branches; called once at the start. Worktrees that are still
 * wanted, or that another running process works in, stay.
 */
export async function removeStaleWorktrees(
  needs: StateFolder,
  isWanted: (worktree: Worktree) => boolean | Promise<boolean>,
): Promise<{ removed: string[]; kept: string[] }> {
  const removed: string[] = []
  const kept: string[] = []
  for (const id of namesIn(workFolder(needs.paths))) {
    const marker = await readMarker(needs, id)
    if (marker !== undefined && (isInUse(marker) || (await isWanted(marker.worktree)))) {
      kept.push(id)
      continue
    }
    if (marker === undefined) await removeFolder(join(workFolder(needs.paths), id))
    else await removeWorktree(needs, marker.worktree, { branch: true })
    removed.push(id)
  }
  return { removed, kept }
}

/** Whether another running process of this machine works in it. */
function isInUse({ owner }: Marker): boolean {
  if (owner.host !== hostname()) return false
  if (owner.pid === process.pid || !isAlive(owner.pid)) return false
  return owner.start === null || processStartTime(owner.pid) === owner.start
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

/** Removes a worktree: git's entry, the branch if asked for and still only ours, and last the folder with the marker. */
export async function removeWorktree(
  needs: StateFolder,
  worktree: Worktree,
  { branch }: { branch: boolean },
): Promise<void> {
  await pruneInGit(worktree)
  if (branch) await deleteBranch(worktree)
  await removeFolder(join(workFolder(needs.paths), worktree.id))
}

/** Does what `git worktree prune` does, but for this worktree only: the user's own stale ones stay. */
async function pruneInGit({ gitFolder, root }: Worktree): Promise<void> {
  const entries = join(gitFolder, "worktrees")
  for (const name of namesIn(entries)) {
    const pointer = await readFile(join(entries, name, "gitdir"), "utf8").catch(() => "")
    if (pointer.trim() === join(root, ".git")) await rm(join(entries, name), { recursive: true, force: true })
  }
  // Git removes the folder too when it is empty.
  await rmdir(entries).catch(() => {})
}

/** Deletes the branch only if it is at one of our commits: what somebody else added to it stays. */
async function deleteBranch({ gitFolder, branch, base, commits }: Worktree): Promise<void> {
  for (const commit of [base, ...commits].toReversed()) {
    const { code } = await changeGit(gitFolder, "update-ref", ["-d", `refs/heads/${branch}`, commit])
    if (code === 0) return
  }
}

/** Removes a folder even if a command made folders in it that are too deep for a path or closed to their owner. */
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
