import { type ChildProcess, spawn } from "node:child_process"
import { constants } from "node:os"
import type { Writable } from "node:stream"
import type { Clock } from "../../../base/clock.ts"
import { withoutInherited } from "./inherited.ts"
import { goWord, readyWord } from "./inside.ts"
import { openOutput } from "./output.ts"
import type { SandboxEnd, SandboxLimits, SandboxRequest, SandboxResult } from "./sandbox.ts"
import { watchUse } from "./watch-use.ts"

interface Bounded {
  clock: Clock
  program: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  cwd: string
  /** What the program reads from file descriptors 3 and following. */
  data: readonly (string | Buffer)[]
  limits: SandboxLimits
  request: SandboxRequest
}

const messages: Record<Exclude<SandboxEnd, "ended" | "not-started">, (limits: SandboxLimits) => string> = {
  "timed-out": () => "It took too long and was ended.",
  aborted: () => "It was called off.",
  "too-much-memory": ({ memoryMb }) => `It took more than ${memoryMb} MB of memory and was ended.`,
  "too-many-processes": ({ processes }) => `It had more than ${processes} processes and was ended.`,
  "too-much-disk": ({ diskMb }) => `It wrote more than ${diskMb} MB and was ended.`,
}

/** Starts the sandbox's program and ends it with all that it started when a limit is reached. */
export async function runBounded(bounded: Bounded): Promise<SandboxResult> {
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
  const trouble = openOutput()
  let reason: SandboxEnd = "ended"
  const end = (why: SandboxEnd) => {
    if (reason !== "ended") return
    reason = why
    endAll(child)
  }
  child.stdout?.on("data", (bytes: Buffer) => {
    const text = output.add(bytes)
    request.onOutput?.(text)
  })
  let isReady = false
  child.stderr?.on("data", (bytes: Buffer) => {
    trouble.add(bytes)
    if (isReady || !trouble.text().includes(readyWord)) return
    isReady = true
    child.stdin?.end(`${goWord}\n`)
  })
  const abort = () => end("aborted")
  request.signal?.addEventListener("abort", abort, { once: true })
  const callOff = clock.after(request.timeoutMs, () => end("timed-out"))
  const unwatch =
    child.pid === undefined
      ? () => {}
      : watchUse({ clock, pid: child.pid, folder: request.view.root, limits, onExcess: end })
  const exit = await closing(child)
  unwatch()
  callOff()
  request.signal?.removeEventListener("abort", abort)
  // What still runs in the group outlived the program that was to hold it.
  endAll(child)
  const written = output.text()
  if (reason !== "ended") return ended(reason, { limits, output: written })
  if (!isReady) return notStarted(exit.problem ?? trouble.text().trim(), written)
  return finished(exit.code, exit.signal, written)
}

function feed(child: ChildProcess, data: Bounded["data"]): void {
  for (const [index, text] of data.entries()) {
    const pipe = child.stdio[index + 3] as Writable | null | undefined
    // Whoever ended before reading all of it says so by its exit code.
    pipe?.on("error", () => {})
    pipe?.end(text)
  }
}

interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
  problem?: string
}

function closing(child: ChildProcess): Promise<Exit> {
  return new Promise((done) => {
    child.on("error", (error) => done({ code: null, signal: null, problem: error.message }))
    child.on("close", (code, signal) => done({ code, signal }))
  })
}

/** Ends the whole process group. Under bubblewrap all else goes with the first process of its namespace. */
function endAll({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL")
  } catch {
    // It has ended meanwhile.
  }
}

function ended(
  reason: Exclude<SandboxEnd, "ended" | "not-started">,
  { limits, output }: { limits: SandboxLimits; output: string },
): SandboxResult {
  const message = messages[reason](limits)
  return { exitCode: null, signal: "SIGKILL", output, timedOut: reason === "timed-out", reason, message }
}

function notStarted(told: string, output: string): SandboxResult {
  const message = `The sandbox could not be started: ${told.split("\n")[0]}`
  return { exitCode: null, signal: null, output, timedOut: false, reason: "not-started", message }
}

function finished(code: number | null, signal: NodeJS.Signals | null, output: string): SandboxResult {
  // A program that a signal ended inside is told as 128 and the signal's number.
  const inside = code === null || code <= 128 ? null : signalOf(code - 128)
  return { exitCode: code, signal: signal ?? inside, output, timedOut: false, reason: "ended", message: "" }
}

function signalOf(number: number): NodeJS.Signals | null {
  const found = Object.entries(constants.signals).find(([, value]) => value === number)
  return (found?.[0] as NodeJS.Signals | undefined) ?? null
}
