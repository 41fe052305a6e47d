import { type ChildProcess, spawn } from "node:child_process"
import type { Clock } from "../../base/clock.ts"
import { codeOf } from "../../base/errors.ts"
import { killGroup } from "../../base/processes.ts"

/** One run of one of the user's programs. */
export interface ProgramRun {
  /** A full path, or a name in the PATH of `env`. */
  command: string
  args: readonly string[]
  /** Its whole environment. */
  env: Readonly<Record<string, string>>
  cwd: string
  /** Its standard input, which `ps` does not show. */
  input: string
  /** The user it runs as, if not ours. */
  as?: { uid: number; gid: number }
  /** Aborting it ends the program and all processes it started. */
  signal: AbortSignal
}

/** How a run ended. */
export type ProgramEnd =
  | { outcome: "ended"; code: number | null; killedBy: string | null; stdout: string; stderr: string }
  /** Ended by the signal; the output so far may contain the usage. */
  | { outcome: "aborted"; stdout: string }
  | { outcome: "missing" }
  | { outcome: "too-much" }

/** How long a program may take to end after SIGTERM. */
const graceMs = 2000
const mostOutput = 32 * 1024 * 1024
const maxStderr = 8192

/**
 * Runs next to the program, in its process group. It reads descriptor 3, which closes when we end for any reason, and
 * then kills the whole group. So no process that the program started outlives the run, or us.
 */
const guarded = `{ trap '' TERM HUP INT; read -r _ <&3; kill -KILL 0; } </dev/null >/dev/null 2>&1 & exec "$@" 3<&-`

/** Runs a program to its end. Never throws for a program's errors. */
export function runProgram({ clock }: { clock: Clock }, run: ProgramRun): Promise<ProgramEnd> {
  if (run.signal.aborted) return Promise.resolve({ outcome: "aborted", stdout: "" })
  const child = spawn("/bin/sh", ["-c", guarded, "sh", run.command, ...run.args], {
    cwd: run.cwd,
    env: { ...run.env },
    stdio: ["pipe", "pipe", "pipe", "pipe"],
    // Its own group and session, so that it can be ended as a whole and never asks the user's terminal.
    detached: true,
    ...run.as,
  })
  return collect(clock, child, run)
}

function collect(clock: Clock, child: ChildProcess, run: ProgramRun): Promise<ProgramEnd> {
  const out = gather(child)
  let cancelKill = () => {}
  const end = () => {
    killGroup(child.pid, "SIGTERM")
    cancelKill = clock.after(graceMs, () => killGroup(child.pid))
  }
  run.signal.addEventListener("abort", end, { once: true })
  child.stdout?.on("data", () => {
    if (out.tooMuch()) killGroup(child.pid)
  })
  child.stdin?.on("error", () => {}) // It may end before it has read everything.
  child.stdin?.end(run.input)
  child.on("exit", () => child.stdio[3]?.destroy())
  return new Promise((resolve, reject) => {
    const settle = (ended: ProgramEnd) => {
      run.signal.removeEventListener("abort", end)
      cancelKill()
      resolve(ended)
    }
    child.on("error", (error) => {
      run.signal.removeEventListener("abort", end)
      if (codeOf(error) === "ENOENT") settle({ outcome: "missing" })
      else reject(error)
    })
    child.on("close", (code, killedBy) => {
      const { stdout, stderr } = out.texts()
      if (run.signal.aborted) settle({ outcome: "aborted", stdout })
      else if (out.tooMuch()) settle({ outcome: "too-much" })
      // The shell's codes for a program that does not exist or cannot be run.
      else if ((code === 127 || code === 126) && stdout === "") settle({ outcome: "missing" })
      else settle({ outcome: "ended", code, killedBy, stdout, stderr })
    })
  })
}

/** Collects the output: stdout up to a limit, and the end of stderr. */
function gather(child: ChildProcess) {
  const chunks: Buffer[] = []
  let size = 0
  let stderr = ""
  child.stdout?.on("data", (chunk: Buffer) => {
    size += chunk.length
    if (size <= mostOutput) chunks.push(chunk)
  })
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr = (stderr + chunk.toString("utf8")).slice(-maxStderr)
  })
  return {
    tooMuch: () => size > mostOutput,
    texts: () => ({ stdout: Buffer.concat(chunks).toString("utf8"), stderr }),
  }
}
