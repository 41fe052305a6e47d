/** A worktree of ours: a folder in the state directory on a branch of its own. */
export interface Worktree {
  /** Its name among ours, such as work_…; the folder and what is written down of it bear it. */
  id: string
  /** The folder with the files. */
  root: string
  /** The user's own checkout, which nothing is changed in. */
  project: string
  /** What all worktrees of the repository share. */
  gitFolder: string
  /** What is this worktree's own in it: HEAD and index. */
  ownGitFolder: string
  /** Such as ambient/fix-tides. */
  branch: string
  /** The commit it began with, and the one its branch is at. */
  base: string
  tip: string
  /** All that were made on it, so that a branch that is still ours is known. */
  commits: string[]
  /** The cycle that made it. */
  cycle: string
}
