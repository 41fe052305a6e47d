import { ambientState, changeAmbientState } from "../../../attention/ambient-state.ts"
import { newId } from "../../../base/random.ts"
import type { Sandbox } from "../../../coding/work/sandbox/sandbox.ts"
import { runProjectTests } from "../../../coding/work/tests/run-tests.ts"
import { removeWorktree } from "../../../coding/work/worktree/marker.ts"
import { createWorktree } from "../../../coding/work/worktree/worktree.ts"
import { loadProjectConfig } from "../../../config/load.ts"
import type { Paths } from "../../../config/paths.ts"
import type { Screen } from "../../../privacy/screen.ts"
import type { InstallCore } from "../../../storage/core.ts"
import type { TestResult } from "./candidates.ts"

/** The longest test output that is stored. */
const longestOutput = 2000
const mostKept = 50

/** Runs a project's tests at a commit, in a worktree and the sandbox; once per commit. */
export async function runTestsOnce(
  needs: InstallCore & { paths: Paths; screen: Screen; sandbox: Sandbox },
  { project, folder, head, cycle }: { project: string; folder: string; head: string; cycle: string },
  signal: AbortSignal,
): Promise<TestResult | undefined> {
  const { db, clock, install, random } = needs
  const { tests } = await ambientState(db, install)
  const known = tests[project]
  if (known?.head === head) return known
  const { work } = await loadProjectConfig(needs.config, folder)
  const wanted = { project: folder, subject: "look at the tests", base: head, cycle }
  const created = await createWorktree({ ...needs, work }, wanted)
  if (created.outcome === "refused") return undefined
  try {
    const ran = await runProjectTests({ ...needs, work }, created.worktree, { signal })
    signal.throwIfAborted()
    const output = ran.outcome === "ran" ? ran.result.output : ran.reason
    const tested = {
      head,
      passed: ran.outcome === "ran" ? ran.passed : null,
      output: await needs.screen.redact(output.slice(-longestOutput)),
    }
    const by = { operation: newId(random, "op"), actor: "ambient" }
    const entry = { ...by, kind: "project.tested" as const, data: { project, head, passed: tested.passed } }
    await db.write(async (transaction) => {
      const state = await ambientState(transaction, install)
      const kept = Object.entries({ ...state.tests, [project]: tested }).slice(-mostKept)
      await changeAmbientState(
        transaction,
        { install, now: clock.now() },
        { tests: Object.fromEntries(kept) },
        entry,
      )
    })
    return tested
  } finally {
    await removeWorktree(needs, created.worktree, { branch: true })
  }
}
