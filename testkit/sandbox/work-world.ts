import { appendFileSync, chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { systemClock } from "../../src/base/clock.ts"
import { systemRandom } from "../../src/base/random.ts"
import { openWorkFiles } from "../../src/coding/work/files/files.ts"
import { pushBranch } from "../../src/coding/work/publish/push.ts"
import { findSandbox } from "../../src/coding/work/sandbox/find-sandbox.ts"
import { runInWorktree, runProjectTests } from "../../src/coding/work/tests/run-tests.ts"
import { commitAll } from "../../src/coding/work/worktree/commit.ts"
import { diffOf } from "../../src/coding/work/worktree/diff.ts"
import { removeWorktree } from "../../src/coding/work/worktree/marker.ts"
import type { Worktree } from "../../src/coding/work/worktree/record.ts"
import { createWorktree } from "../../src/coding/work/worktree/worktree.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import { pathsFor } from "../../src/config/paths.ts"
import { configSchema } from "../../src/config/schema.ts"
import { createRepository, git, repositoryIn } from "../git-repository.ts"
import { originLines, preparedFolder } from "../prepared-folder.ts"
import { throwawayFolder } from "../program/home.ts"

const prepare = preparedFolder((base) => {
  git(base, "init", "--bare", join(base, "remote.git"))
  createRepository(join(base, "shop project")).commit({
    "package.json": JSON.stringify({ name: "shop", scripts: { test: "node tide.test.mjs" } }),
    "tide.mjs": "export const tides = 1\n",
    "tide.test.mjs":
      'import { tides } from "./tide.mjs"\nif (tides !== 2) throw new Error("two tides a day")\n',
    ".gitignore": "*.log\nbuild/\n",
  })
})

/** A project with a failing test, a remote, and a program that must never run. */
export async function createWorkWorld(config: Record<string, unknown> = {}) {
  const base = throwawayFolder()
  const paths = pathsFor(readEnvironment({ ...process.env, REVERIE_HOME: join(base, "reverie") }))
  const work = configSchema.parse({ work: config }).work
  const needs = { clock: systemClock, random: systemRandom, paths, work }
  const remote = join(base, "remote.git")
  prepare(base)
  const repository = repositoryIn(join(base, "shop project"))
  appendFileSync(join(repository.root, ".git/config"), originLines(remote))
  const evil = join(base, "evil.sh")
  const ranFile = join(base, "ran")
  // It does what such a program would have to do to go unnoticed: it passes on what it is given.
  writeFileSync(evil, `#!/bin/sh\necho ran >> '${ranFile}'\ncat\nexit 0\n`)
  chmodSync(evil, 0o755)

  /** Looked for once: that starts a command in it. */
  let looked: ReturnType<typeof findSandbox> | undefined
  async function sandbox() {
    looked ??= findSandbox(needs)
    const found = await looked
    if (found.outcome === "missing") throw new Error(found.reason)
    return found.sandbox
  }

  async function create(from = "HEAD"): Promise<Worktree> {
    const made = await createWorktree(needs, {
      ...{ project: repository.root, subject: "Fix the tides", base: from, cycle: "cycle_1" },
    })
    if (made.outcome === "refused") throw new Error(made.reason)
    return made.worktree
  }

  return {
    ...{ base, paths, work, needs, remote, repository, evil, create, sandbox },
    didRun: () => existsSync(ranFile),
    files: (worktree: Worktree) => openWorkFiles(needs, worktree.root),
    async run(worktree: Worktree, command: string) {
      return runInWorktree({ sandbox: await sandbox(), work }, worktree, { command, timeoutMs: 60_000 })
    },
    async test(worktree: Worktree) {
      const run = await runProjectTests({ sandbox: await sandbox(), work }, worktree)
      if (run.outcome === "none") throw new Error(run.reason)
      return run
    },
    commit: (worktree: Worktree, message = "Count both tides") => commitAll(needs, worktree, message),
    diff: (worktree: Worktree) => diffOf(needs, worktree),
    push: (worktree: Worktree, name = "origin") =>
      pushBranch(needs, worktree, { remote: name, commit: worktree.tip }),
    remove: (worktree: Worktree) => removeWorktree(needs, worktree, { branch: true }),
    /** The whole way from a commit to a pushed branch; gives what was pushed and the worktree. */
    async story() {
      const begun = await create()
      const edited = await openWorkFiles(needs, begun.root).editFile("tide.mjs", "tides = 1", "tides = 2")
      if (edited.outcome === "refused") throw new Error(edited.reason)
      const difference = await diffOf(needs, begun)
      const committed = await commitAll(needs, begun, "Count both tides")
      if (committed.outcome !== "committed") throw new Error(JSON.stringify(committed))
      const pushed = await pushBranch(needs, committed.worktree, {
        remote: "origin",
        commit: committed.commit,
      })
      return { worktree: committed.worktree, difference, pushed }
    },
    plantHook(folder: string, name: string) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, name), `#!/bin/sh\nexec '${evil}'\n`)
      chmodSync(join(folder, name), 0o755)
    },
  }
}

export type WorkWorld = Awaited<ReturnType<typeof createWorkWorld>>
