import { type ChildProcess, spawn } from "node:child_process"
import type { Writable } from "node:stream"
import type { Clock } from "../../../base/clock.ts"
import { killGroup } from "../../../base/processes.ts"
import { withoutInherited } from "./inherited.ts"
import { goWord, readyWord } from "./inside.ts"
import { openOutput } from "./output.ts"
import type { SandboxEnd, SandboxLimits, SandboxRequest, SandboxResult } from "./sandbox.ts"
import { watchUsage } from "./watch-usage.ts"

interface BoundedRun {
  clock: Clock
  program: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  cwd: string
  /** The contents of file descriptors 3 and following. */
  data: readonly (string | Buffer)[]
  limits: SandboxLimits
  request: SandboxRequest
}

const messages: Record<Exclude<SandboxEnd, "ended" | "not-started">, (limits: SandboxLimits) => string> = {
  "timed-out": () => "It took too long and was stopped.",
  aborted: () => "It was cancelled.",
  "too-much-memory": ({ memoryMb }) => `It took more than ${memoryMb} MB of memory and was stopped.`,
  "too-many-processes": ({ processes }) => `It had more than ${processes} processes and was stopped.`,
  "too-much-disk": ({ diskMb }) => `It wrote more than ${diskMb} MB and was stopped.`,
}

/** Runs the sandbox's program. When a limit is reached, it is killed with every process that it started. */
export async function runBounded(bounded: BoundedRun): Promise<SandboxResult> {
  const { clock, program, args, env, cwd, data, limits, request } = bounded
  if (request.signal?.aborted) return ended("aborted", { limits, output: "" })
  const start = withoutInherited(program, args, 2 + data.length)
  if ("problem" in start) return notStarted(start.problem, "")
  const child = spawn(start.program, start.args, {
    cwd,
    env,
    detached: true,
    stdio: ["pipe", "pipe", "pipe", ...data.map(() => "pipe" as const)],
  })
  feed(child, data)
  child.stdin?.on("error", () => {})
  const output = openOutput()
  const errors = openOutput()
  let reason: SandboxEnd = "ended"
  const end = (why: SandboxEnd) => {
    if (reason !== "ended") return
    reason = why
    killGroup(child.pid)
  }
  child.stdout?.on("data", (bytes: Buffer) => output.add(bytes))
  let isReady = false
  child.stderr?.on("data", (bytes: Buffer) => {
    errors.add(bytes)
    if (isReady || !errors.text().includes(readyWord)) return
    isReady = true
    child.stdin?.end(`${goWord}\n`)
  })
  const abort = () => end("aborted")
  request.signal?.addEventListener("abort", abort, { once: true })
  const cancelTimeout = clock.after(request.timeoutMs, () => end("timed-out"))
  const unwatch =
    child.pid === undefined
      ? () => {}
      : watchUsage({ clock, pid: child.pid, folder: request.view.root, limits, onExcess: end })
  const exit = await closing(child)
  unwatch()
  cancelTimeout()
  request.signal?.removeEventListener("abort", abort)
  // Processes of the group may have outlived the sandbox's program.
  killGroup(child.pid)
  const written = output.text()
  if (reason !== "ended") return ended(reason, { limits, output: written })
  if (!isReady) return notStarted(exit.problem ?? errors.text().trim(), written)
  return { exitCode: exit.code, output: written, reason: "ended", message: "" }
}

function feed(child: ChildProcess, data: BoundedRun["data"]): void {
  for (const [index, text] of data.entries()) {
    const pipe = child.stdio[index + 3] as Writable | null | undefined
    // A program that ends before it has read everything reports that by its exit code.
    pipe?.on("error", () => {})
    pipe?.end(text)
  }
}

function closing(child: ChildProcess): Promise<{ code: number | null; problem?: string }> {
  return new Promise((done) => {
    child.on("error", (error) => done({ code: null, problem: error.message }))
    child.on("close", (code) => done({ code }))
  })
}

function ended(
  reason: Exclude<SandboxEnd, "ended" | "not-started">,
  { limits, output }: { limits: SandboxLimits; output: string },
): SandboxResult {
  return { exitCode: null, output, reason, message: messages[reason](limits) }
}

function notStarted(problem: string, output: string): SandboxResult {
  const message = `The sandbox could not be started: ${problem.split("\n")[0]}`
  return { exitCode: null, output, reason: "not-started", message }
}
