import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { createRepository, git, repositoryIn, type TestRepository } from "../git-repository.ts"
import { originLines, preparedFolder } from "../prepared-folder.ts"
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

/** How a project says that its tests are run. Npm takes as long as all that Reverie does with the project. */
type Runner = "npm" | "make"

export function createFailingProject(folder = throwawayFolder(), runner: Runner = "npm"): FailingProject {
  originals[runner](folder)
  const bare = join(folder, "bare.git")
  const repository = repositoryIn(join(folder, "the project"))
  appendFileSync(join(repository.root, ".git/config"), originLines(bare))
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

const check = `import { sum } from "./sum.mjs"\nif (sum(2, 2) !== 4) throw new Error("2 + 2 is " + sum(2, 2))\n`

const filesFor: Record<Runner, Record<string, string>> = {
  npm: {
    "check.mjs": check,
    "package.json": JSON.stringify({ name: "sums", version: "1.0.0", scripts: { test: "node check.mjs" } }),
  },
  make: { Makefile: 'test:\n\t@grep -q "a + b" sum.mjs\n' },
}

const originals = {
  npm: preparedFolder((folder) => fill(folder, "npm")),
  make: preparedFolder((folder) => fill(folder, "make")),
}

function fill(folder: string, runner: Runner): void {
  const repository = createRepository(join(folder, "the project"))
  git(folder, "init", "--bare", "bare.git")
  repository.commit({ "sum.mjs": `${wrongLine}\n`, ...filesFor[runner] })
  repository.git("push", "-q", join(folder, "bare.git"), "main")
  repository.git("update-ref", "refs/remotes/origin/main", "main")
}
