import type { Config } from "../../../config/schema.ts"
import type { Sandbox, SandboxRequest, SandboxResult } from "../sandbox/sandbox.ts"
import type { Worktree } from "../worktree/record.ts"
import { viewOf } from "../worktree/view.ts"
import { findTestCommand } from "./test-command.ts"

type TestRun =
  | { outcome: "ran"; passed: boolean; command: string; result: SandboxResult }
  /** No test command is known. */
  | { outcome: "none"; reason: string }

interface TestSetup {
  sandbox: Sandbox
  work: Config["work"]
}

/** Runs the tests of a worktree's project in the sandbox. */
export async function runProjectTests(
  setup: TestSetup,
  worktree: Worktree,
  { signal }: { signal?: AbortSignal } = {},
): Promise<TestRun> {
  const command = await findTestCommand(setup.work, worktree)
  if (command === undefined)
    return { outcome: "none", reason: "No way to run the tests was found; set work.test_commands." }
  const result = await runInWorktree(setup, worktree, { command, signal })
  return { outcome: "ran", passed: result.exitCode === 0, command, result }
}

/** Runs a command in a worktree's sandbox, for at most the time that the configuration allows. */
export async function runInWorktree(
  { sandbox, work }: TestSetup,
  worktree: Worktree,
  {
    timeoutMs = Number.POSITIVE_INFINITY,
    ...request
  }: Pick<SandboxRequest, "command" | "signal"> & {
    timeoutMs?: number | undefined
  },
): Promise<SandboxResult> {
  const view = await viewOf(worktree)
  return sandbox.run({ ...request, view, timeoutMs: Math.min(timeoutMs, work.timeout_minutes * 60_000) })
}
