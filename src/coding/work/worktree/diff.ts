import type { Clock } from "../../../base/clock.ts"
import type { Config } from "../../../config/schema.ts"
import { changeGit } from "../../../git/change-git.ts"
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
      /** As `git diff` writes it; a long one is cut at the end of a line. */
      text: string
      isCut: boolean
      size: ChangeSize
      leftOut: { path: string; reason: string }[]
    }
  | { outcome: "refused"; reason: string }

const mostText = 200_000
/** Room for a line of numbers for each of the files that may have changed. */
const mostNumbers = 4 * 1024 * 1024

/** What a worktree changes against the commit that it began with, committed or not. */
export async function diffOf(needs: { clock: Clock }, worktree: Worktree): Promise<Difference> {
  const found = await findChanges(needs, worktree)
  if (found.outcome === "refused") return found
  const isAtTip = found.changes.length === 0
  const tree = isAtTip ? worktree.tip : await writeTree(worktree, found.changes)
  if (tree === undefined) return { outcome: "refused", reason: "git could not write the files" }
  const { gitFolder, base } = worktree
  const compared = await changeGit(
    gitFolder,
    "diff-tree",
    ["-r", "-z", "--numstat", "-p", "--no-renames", base, tree],
    { mostBytes: mostNumbers + mostText },
  )
  // First the numbers of each file, then nothing between two zeros, then the text.
  const { text: told } = compared
  const end = told.indexOf("\0\0")
  const [numbers, whole] = end === -1 ? [told, ""] : [told.slice(0, end), told.slice(end + 2)]
  const isFailed = compared.isWhole ? compared.code !== 0 : end === -1
  if (isFailed) return { outcome: "refused", reason: "git could not compare the files" }
  const isCut = !compared.isWhole || whole.length > mostText
  const kept = whole.slice(0, mostText)
  const text = isCut ? kept.slice(0, kept.lastIndexOf("\n") + 1) : kept
  return { outcome: "found", text, isCut, size: sizeOf(numbers), leftOut: found.leftOut }
}

function sizeOf(numbers: string): ChangeSize {
  const files = numbers
    .split("\0")
    .filter((line) => line !== "")
    .map((line) => {
      const [added = "", removed = "", ...path] = line.split("\t")
      const isBinary = added === "-"
      return { path: path.join("\t"), added: Number(added) || 0, removed: Number(removed) || 0, isBinary }
    })
  return { files, lines: files.reduce((sum, { added, removed }) => sum + added + removed, 0) }
}

/** Why a change is too large to be offered, as one sentence; undefined if it is small. */
export function tooLarge(
  { files, lines }: ChangeSize,
  { max_files, max_lines }: Pick<Config["work"], "max_files" | "max_lines">,
): string | undefined {
  if (files.length > max_files) return `It changes ${files.length} files; work.max_files allows ${max_files}.`
  if (lines > max_lines) return `It changes ${lines} lines; work.max_lines allows ${max_lines}.`
  const binary = files.find(({ isBinary }) => isBinary)
  return binary && `It changes ${binary.path}, which is no text and cannot be reviewed.`
}
