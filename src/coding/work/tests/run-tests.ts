import type { Config } from "../../../config/schema.ts"
import type { Sandbox, SandboxResult } from "../sandbox/sandbox.ts"
import type { Worktree } from "../worktree/record.ts"
import { viewOf } from "../worktree/view.ts"
import { findTestCommand } from "./test-command.ts"

type TestRun =
  | { outcome: "ran"; passed: boolean; command: string; result: SandboxResult }
  /** Nobody says how the tests are run. */
  | { outcome: "none"; reason: string }

/** Runs the project's tests as they are in the worktree, in the sandbox. */
export async function runProjectTests(
  { sandbox, work }: { sandbox: Sandbox; work: Config["work"] },
  worktree: Worktree,
  { signal, onOutput }: { signal?: AbortSignal; onOutput?: (text: string) => void } = {},
): Promise<TestRun> {
  const found = await findTestCommand(work, worktree)
  if (found === undefined)
    return { outcome: "none", reason: "No way to run the tests was found; set work.test_commands." }
  const result = await runInWorktree({ sandbox, work }, worktree, {
    command: found.command,
    signal,
    onOutput,
  })
  return { outcome: "ran", passed: result.exitCode === 0, command: found.command, result }
}

interface WorkCommand {
  command: readonly string[] | string
  timeoutMs?: number | undefined
  signal?: AbortSignal | undefined
  onOutput?: ((text: string) => void) | undefined
}

/** Runs a command in a worktree's sandbox, for at most the time that the configuration allows. */
export async function runInWorktree(
  { sandbox, work }: { sandbox: Sandbox; work: Config["work"] },
  worktree: Worktree,
  { command, timeoutMs = Number.POSITIVE_INFINITY, signal, onOutput }: WorkCommand,
): Promise<SandboxResult> {
  const most = work.timeout_minutes * 60_000
  const view = await viewOf(worktree)
  return sandbox.run({ view, command, timeoutMs: Math.min(timeoutMs, most), signal, onOutput })
}
