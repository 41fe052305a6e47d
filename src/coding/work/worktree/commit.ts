import type { Clock } from "../../../base/clock.ts"
import type { Paths } from "../../../config/paths.ts"
import type { Config } from "../../../config/schema.ts"
import { changeGit } from "../../../git/change-git.ts"
import { type Refused, refused } from "../refused.ts"
import { findChanges, writeTree } from "./changes.ts"
import { writeMarker } from "./marker.ts"
import type { Worktree } from "./record.ts"
import { lastLine } from "./worktree.ts"

type Committed =
  | { outcome: "committed"; commit: string; worktree: Worktree }
  | { outcome: "unchanged" }
  | Refused

/**
 * Commits all changes of a worktree to its branch, with a trailer that names the cycle. Ignored new files, files of
 * secrets and nested repositories are left out. Use the returned worktree from then on.
 */
export async function commitAll(
  needs: { clock: Clock; paths: Pick<Paths, "stateDir">; work: Config["work"] },
  worktree: Worktree,
  message: string,
): Promise<Committed> {
  const found = await findChanges(needs, worktree)
  if (found.outcome === "refused") return found
  if (found.changes.length === 0) return { outcome: "unchanged" }
  const tree = await writeTree(worktree, found.changes)
  if (tree === undefined) return refused("git could not write the files")
  const { gitFolder, ownGitFolder, tip, branch, cycle } = worktree
  const made = await changeGit(gitFolder, "commit-tree", [tree, "-p", tip, "-F", "-"], {
    author: authorOf(needs.work.author),
    input: `${cleaned(message)}\n\nReverie-Cycle: ${oneLine(cycle)}\n`,
  })
  const commit = made.text.trim()
  if (made.code !== 0) return refused(`git could not commit: ${lastLine(made.errors)}`)
  const next = { ...worktree, tip: commit, commits: [...worktree.commits, commit] }
  // The marker comes first: if the process dies before the branch moves, the branch is still known as ours.
  writeMarker(needs, { ...worktree, commits: next.commits })
  const moved = await changeGit(gitFolder, "update-ref", [`refs/heads/${branch}`, commit, tip])
  if (moved.code !== 0) return refused(`the branch was changed by somebody else: ${lastLine(moved.errors)}`)
  writeMarker(needs, next)
  // Only for `git status`; we do not depend on it.
  await changeGit(ownGitFolder, "read-tree", [commit])
  return { outcome: "committed", commit, worktree: next }
}

/** Splits "Reverie <reverie@localhost>"; the configuration has checked its form. */
function authorOf(author: string): { name: string; email: string } {
  const [, name = "Reverie", email = "reverie@localhost"] = /^(.+) <(.+)>$/.exec(author) ?? []
  return { name, email }
}

/** The message without such trailers, so that only ours names a cycle. */
function cleaned(message: string): string {
  const lines = message.replaceAll("\r", "").replaceAll("\0", "").trim().split("\n")
  const kept = lines.filter((line) => !/^\s*(?:reverie-cycle|signed-off-by|co-authored-by)\s*:/i.test(line))
  return kept.join("\n").trim().slice(0, 10_000) || "Change files"
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").slice(0, 200)
}
