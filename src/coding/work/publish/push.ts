import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Paths } from "../../../config/paths.ts"
import { remoteGit } from "../../../git/change-git.ts"
import { isOurBranch } from "../worktree/branch-name.ts"
import { workFolder } from "../worktree/marker.ts"
import type { Worktree } from "../worktree/record.ts"
import { lastLine } from "../worktree/worktree.ts"
import { findRemote, type Remote } from "./remote.ts"

type Pushed =
  /** `already` where the same commit was there before: nothing was sent. */
  | { outcome: "pushed"; remote: Remote; ref: string; already: boolean }
  | { outcome: "refused" | "failed"; reason: string }

const pushMs = 300_000
const lookMs = 60_000

/**
 * Pushes one exact commit to the branch of its name, never over another commit. Doing it again does nothing: the remote
 * is asked first what it has.
 */
export async function pushBranch(
  needs: { paths: Pick<Paths, "stateDir"> },
  worktree: Pick<Worktree, "id" | "project" | "gitFolder" | "branch" | "base">,
  { remote: name, commit, signal }: { remote: string; commit: string; signal?: AbortSignal },
): Promise<Pushed> {
  const { branch, project, gitFolder } = worktree
  if (!isOurBranch(branch)) return refused(`${branch} is not a branch of ours`)
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return refused(`${commit} is not the whole id of a commit`)
  if (commit === worktree.base) return refused("it has no commit of its own")
  const remote = await findRemote(project, name)
  if ("problem" in remote) return refused(remote.problem)
  const ref = `refs/heads/${branch}`
  const empty = join(workFolder(needs.paths), `push-${worktree.id}`)
  try {
    await prepare(empty, gitFolder)
    const there = await look(empty, remote.url, ref, signal)
    if (typeof there === "object") return there
    if (there === commit) return { outcome: "pushed", remote, ref, already: true }
    if (there !== "") return refused(`${remote.name} has another commit on ${branch} (${there.slice(0, 12)})`)
    const args = [
      "--no-verify",
      "--no-follow-tags",
      "--recurse-submodules=no",
      "--porcelain",
      "--",
      remote.url,
    ]
    const { code, errors } = await remoteGit(empty, "push", [...args, `${commit}:${ref}`], {
      timeoutMs: pushMs,
      signal,
    })
    // Whether it came through is asked of the remote itself: an answer can be lost.
    const now = await look(empty, remote.url, ref, signal)
    if (now === commit) return { outcome: "pushed", remote, ref, already: false }
    return failed(`git could not push to ${remote.name}: ${lastLine(errors) || `exit code ${code}`}`)
  } finally {
    rmSync(empty, { recursive: true, force: true })
  }
}

/** An empty repository that can read the project's objects, and has nothing of its configuration. */
async function prepare(empty: string, gitFolder: string): Promise<void> {
  rmSync(empty, { recursive: true, force: true })
  mkdirSync(dirname(empty), { recursive: true, mode: 0o700 })
  await remoteGit(empty, "init", ["--quiet", "--bare", "--template=", empty])
  mkdirSync(join(empty, "objects/info"), { recursive: true })
  writeFileSync(join(empty, "objects/info/alternates"), `${join(gitFolder, "objects")}\n`)
}

/** The commit that a remote has there, empty where it has none. */
async function look(
  empty: string,
  url: string,
  ref: string,
  signal: AbortSignal | undefined,
): Promise<string | Pushed> {
  const { code, text, errors } = await remoteGit(empty, "ls-remote", ["--", url, ref], {
    timeoutMs: lookMs,
    signal,
  })
  if (code !== 0) return failed(`the remote does not answer: ${lastLine(errors) || "it took too long"}`)
  const line = text.split("\n").find((one) => one.endsWith(`\t${ref}`))
  return line?.split("\t")[0] ?? ""
}

function refused(reason: string): Pushed {
  return { outcome: "refused", reason }
}

function failed(reason: string): Pushed {
  return { outcome: "failed", reason }
}
