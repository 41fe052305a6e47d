import type { Clock } from "../../../base/clock.ts"
import type { Config } from "../../../config/schema.ts"
import { changeGit } from "../../../git/change-git.ts"
import { type Refused, refused } from "../refused.ts"
import { findChanges, writeTree } from "./changes.ts"
import type { Worktree } from "./record.ts"

/** How much changed. */
export interface ChangeSize {
  files: { path: string; added: number; removed: number; isBinary: boolean }[]
  /** Lines added and removed together. */
  lines: number
}

type Difference =
  | {
      outcome: "found"
      /** As `git diff` prints it; a long one is cut at the end of a line. */
      text: string
      isCut: boolean
      size: ChangeSize
    }
  | Refused

const mostText = 200_000
/** Room for a line of counts for every file that may have changed. */
const mostCountBytes = 4 * 1024 * 1024

/** All changes of a worktree since its base commit, committed or not. */
export async function diffOf(needs: { clock: Clock }, worktree: Worktree): Promise<Difference> {
  const found = await findChanges(needs, worktree)
  if (found.outcome === "refused") return found
  const isAtTip = found.changes.length === 0
  const tree = isAtTip ? worktree.tip : await writeTree(worktree, found.changes)
  if (tree === undefined) return refused("git could not write the files")
  const { gitFolder, base } = worktree
  const compared = await changeGit(
    gitFolder,
    "diff-tree",
    ["-r", "-z", "--numstat", "-p", "--no-renames", base, tree],
    { mostBytes: mostCountBytes + mostText },
  )
  // First the counts of each file, then two NULs, then the text.
  const { text: output } = compared
  const end = output.indexOf("\0\0")
  const [counts, whole] = end === -1 ? [output, ""] : [output.slice(0, end), output.slice(end + 2)]
  const isFailed = compared.isComplete ? compared.code !== 0 : end === -1
  if (isFailed) return refused("git could not compare the files")
  const isCut = !compared.isComplete || whole.length > mostText
  const kept = whole.slice(0, mostText)
  const text = isCut ? kept.slice(0, kept.lastIndexOf("\n") + 1) : kept
  return { outcome: "found", text, isCut, size: sizeOf(counts) }
}

function sizeOf(counts: string): ChangeSize {
  const files = counts
    .split("\0")
    .filter((line) => line !== "")
    .map((line) => {
      const [added = "", removed = "", ...path] = line.split("\t")
      const isBinary = added === "-"
      return { path: path.join("\t"), added: Number(added) || 0, removed: Number(removed) || 0, isBinary }
    })
  return { files, lines: files.reduce((sum, { added, removed }) => sum + added + removed, 0) }
}

/** Why a change is too large to propose, as one sentence; undefined if it is not. */
export function tooLarge(
  { files, lines }: ChangeSize,
  { max_files, max_lines }: Pick<Config["work"], "max_files" | "max_lines">,
): string | undefined {
  if (files.length > max_files) return `It changes ${files.length} files; work.max_files allows ${max_files}.`
  if (lines > max_lines) return `It changes ${lines} lines; work.max_lines allows ${max_lines}.`
  const binary = files.find(({ isBinary }) => isBinary)
  return binary && `It changes ${binary.path}, which is not text and cannot be reviewed.`
}
