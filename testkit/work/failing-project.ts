import { join } from "node:path"
import { createRepository, git, type TestRepository } from "../git-repository.ts"
import { throwawayFolder } from "../program/home.ts"

/** A repository whose only test fails, and the bare one that it is pushed to. */
export interface FailingProject extends TestRepository {
  bare: string
  /** The branches that the bare one has, without main. */
  pushed(): string[]
  /** The folders that git knows worktrees in, beside the repository's own. */
  worktrees(): string[]
}

export const wrongLine = "export const sum = (a, b) => a - b"
export const rightLine = "export const sum = (a, b) => a + b"

export function createFailingProject(folder = throwawayFolder()): FailingProject {
  const bare = join(folder, "bare.git")
  const repository = createRepository(join(folder, "the project"))
  git(folder, "init", "--bare", "bare.git")
  repository.commit({
    "sum.mjs": `${wrongLine}\n`,
    "check.mjs": `import { sum } from "./sum.mjs"\nif (sum(2, 2) !== 4) throw new Error("2 + 2 is " + sum(2, 2))\n`,
    "package.json": JSON.stringify({ name: "sums", version: "1.0.0", scripts: { test: "node check.mjs" } }),
  })
  repository.git("remote", "add", "origin", bare)
  repository.git("push", "-q", "origin", "main")
  return {
    ...repository,
    bare,
    pushed: () =>
      git(bare, "for-each-ref", "--format=%(refname:short)", "refs/heads")
        .split("\n")
        .filter((name) => name !== "main" && name !== ""),
    worktrees: () =>
      repository
        .git("worktree", "list", "--porcelain")
        .split("\n")
        .filter((line) => line.startsWith("worktree "))
        .slice(1),
  }
}
