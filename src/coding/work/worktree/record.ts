import { z } from "zod"

/** A worktree of ours as its marker file stores it: a folder in the state directory on its own branch. */
export const worktreeSchema = z.object({
  /** Its name, such as work_…; also the name of its folder. */
  id: z.string().regex(/^[\w-]+$/),
  /** The folder with the files. */
  root: z.string(),
  /** The user's own checkout, which is never changed. */
  project: z.string(),
  /** The git folder that all worktrees of the repository share. */
  gitFolder: z.string(),
  /** The part of it that belongs to this worktree: HEAD and index. */
  ownGitFolder: z.string(),
  /** Such as ambient/fix-tides. */
  branch: z.string().regex(/^ambient\/[a-z0-9-]+$/),
  /** The commit that it started from, and the one that its branch is at. */
  base: z.string(),
  tip: z.string(),
  /** All commits that we made on it: a branch at one of them is still only ours. */
  commits: z.array(z.string()),
  /** The cycle that created it. */
  cycle: z.string(),
})
export type Worktree = z.infer<typeof worktreeSchema>
