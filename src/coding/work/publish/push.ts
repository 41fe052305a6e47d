import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Paths } from "../../../config/paths.ts"
import { remoteGit } from "../../../git/change-git.ts"
import { type Refused, refused } from "../refused.ts"
import { isOurBranch } from "../worktree/branch-name.ts"
import { workFolder } from "../worktree/marker.ts"
import type { Worktree } from "../worktree/record.ts"
import { lastLine } from "../worktree/worktree.ts"
import { findRemote, type Remote } from "./remote.ts"

type Pushed =
  /** `already` if the remote had this commit before: nothing was sent. */
  | { outcome: "pushed"; remote: Remote; ref: string; already: boolean }
  | { outcome: "failed"; reason: string }
  | Refused

const pushMs = 300_000
const askMs = 60_000

/**
 * Pushes one exact commit to the worktree's branch, never over another commit. It first asks the remote, so that a
 * second call does nothing.
 */
export async function pushBranch(
  needs: { paths: Pick<Paths, "stateDir"> },
  worktree: Pick<Worktree, "id" | "project" | "gitFolder" | "branch" | "base">,
  { remote: name, commit, signal }: { remote: string; commit: string; signal?: AbortSignal },
): Promise<Pushed> {
  const { branch, project, gitFolder } = worktree
  if (!isOurBranch(branch)) return refused(`${branch} is not a branch of ours`)
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return refused(`${commit} is not the full id of a commit`)
  if (commit === worktree.base) return refused("it has no commit of its own")
  const remote = await findRemote(project, name)
  if ("problem" in remote) return refused(remote.problem)
  const ref = `refs/heads/${branch}`
  const empty = join(workFolder(needs.paths), `push-${worktree.id}`)
  try {
    await prepare(empty, gitFolder)
    const there = await commitOnRemote(empty, remote.url, ref, signal)
    if (typeof there === "object") return there
    if (there === commit) return { outcome: "pushed", remote, ref, already: true }
    if (there !== "") return refused(`${remote.name} has another commit on ${branch} (${there.slice(0, 12)})`)
    const options = ["--no-verify", "--no-follow-tags", "--recurse-submodules=no", "--porcelain"]
    const args = [...options, "--", remote.url, `${commit}:${ref}`]
    const { code, errors } = await remoteGit(empty, "push", args, { timeoutMs: pushMs, signal })
    // The remote says whether it arrived: git's own answer can be lost.
    const now = await commitOnRemote(empty, remote.url, ref, signal)
    if (now === commit) return { outcome: "pushed", remote, ref, already: false }
    return failed(`git could not push to ${remote.name}: ${lastLine(errors) || `exit code ${code}`}`)
  } finally {
    rmSync(empty, { recursive: true, force: true })
  }
}

/** Creates an empty repository that can read the project's objects, without its configuration. */
async function prepare(empty: string, gitFolder: string): Promise<void> {
  rmSync(empty, { recursive: true, force: true })
  mkdirSync(dirname(empty), { recursive: true, mode: 0o700 })
  await remoteGit(empty, "init", ["--quiet", "--bare", "--template=", empty])
  mkdirSync(join(empty, "objects/info"), { recursive: true })
  writeFileSync(join(empty, "objects/info/alternates"), `${join(gitFolder, "objects")}\n`)
}

/** The commit of a branch on the remote; empty if it has none. */
async function commitOnRemote(
  empty: string,
  url: string,
  ref: string,
  signal: AbortSignal | undefined,
): Promise<string | Pushed> {
  const { code, text, errors } = await remoteGit(empty, "ls-remote", ["--", url, ref], {
    timeoutMs: askMs,
    signal,
  })
  if (code !== 0) return failed(`the remote does not answer: ${lastLine(errors) || "it took too long"}`)
  const line = text.split("\n").find((one) => one.endsWith(`\t${ref}`))
  return line?.split("\t")[0] ?? ""
}

function failed(reason: string): Pushed {
  return { outcome: "failed", reason }
}
