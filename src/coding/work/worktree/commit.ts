import type { Clock } from "../../../base/clock.ts"
import type { Paths } from "../../../config/paths.ts"
import type { Config } from "../../../config/schema.ts"
import { changeGit } from "../../../git/change-git.ts"
import { findChanges, writeTree } from "./changes.ts"
import { writeMarker } from "./marker.ts"
import type { Worktree } from "./record.ts"
import { lastLine } from "./worktree.ts"

type Committed =
  | { outcome: "committed"; commit: string; worktree: Worktree; leftOut: { path: string; reason: string }[] }
  | { outcome: "unchanged" }
  | { outcome: "refused"; reason: string }

/**
 * Commits everything that changed in a worktree to its branch, with a line that names the cycle. New files that git
 * ignores, files of secrets and repositories inside are left out. Use the worktree that it gives from then on.
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
  if (made.code !== 0) return refused(`git makes no commit: ${lastLine(made.errors)}`)
  const next = { ...worktree, tip: commit, commits: [...worktree.commits, commit] }
  // First written down, then moved: a branch that is left behind in between is known as ours.
  writeMarker(needs, { ...worktree, commits: next.commits })
  const moved = await changeGit(gitFolder, "update-ref", [`refs/heads/${branch}`, commit, tip])
  if (moved.code !== 0) return refused(`the branch was changed by somebody else: ${lastLine(moved.errors)}`)
  writeMarker(needs, next)
  // What `git status` compares with; nothing of ours depends on it.
  await changeGit(ownGitFolder, "read-tree", [commit])
  return { outcome: "committed", commit, worktree: next, leftOut: found.leftOut }
}

/** Such as "Reverie <reverie@localhost>", which the configuration has checked. */
function authorOf(author: string): { name: string; email: string } {
  const [, name = "Reverie", email = "reverie@localhost"] = /^(.+) <(.+)>$/.exec(author) ?? []
  return { name, email }
}

/** The message without lines that look like ours, so that none but the last names a cycle. */
function cleaned(message: string): string {
  const lines = message.replaceAll("\r", "").replaceAll("\0", "").trim().split("\n")
  const kept = lines.filter((line) => !/^\s*(?:reverie-cycle|signed-off-by|co-authored-by)\s*:/i.test(line))
  return kept.join("\n").trim().slice(0, 10_000) || "Change files"
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").slice(0, 200)
}

function refused(reason: string): Committed {
  return { outcome: "refused", reason }
}
