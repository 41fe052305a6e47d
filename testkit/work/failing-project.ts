import { cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createRepository, git, repositoryIn, type TestRepository } from "../git-repository.ts"
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

/** The one that all are copied from: git takes a dozen processes to make it. */
let original: string | undefined

export function createFailingProject(folder = throwawayFolder()): FailingProject {
  original ??= makeOriginal()
  cpSync(original, folder, { recursive: true })
  const bare = join(folder, "bare.git")
  const repository = repositoryIn(join(folder, "the project"))
  repository.git("remote", "add", "origin", bare)
  repository.git("update-ref", "refs/remotes/origin/main", "main")
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

function makeOriginal(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "reverie project-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  const repository = createRepository(join(folder, "the project"))
  git(folder, "init", "--bare", "bare.git")
  repository.commit({
    "sum.mjs": `${wrongLine}\n`,
    "check.mjs": `import { sum } from "./sum.mjs"\nif (sum(2, 2) !== 4) throw new Error("2 + 2 is " + sum(2, 2))\n`,
    "package.json": JSON.stringify({ name: "sums", version: "1.0.0", scripts: { test: "node check.mjs" } }),
  })
  repository.git("push", "-q", join(folder, "bare.git"), "main")
  return folder
}
