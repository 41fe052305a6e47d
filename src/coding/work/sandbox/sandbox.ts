import type { Clock } from "../../../base/clock.ts"

/** The files that a command in the sandbox sees, besides the system's own folders. */
export interface SandboxView {
  /** The worktree: the only folder that it may write, and its working directory. */
  root: string
  /** Files and folders that it may read, and where they are mounted. A later one may lie inside an earlier one. */
  readable: readonly { from: string; to: string }[]
  /** Read-only files with a given text. */
  files: readonly { to: string; text: string }[]
}

/** A command to run in the sandbox. */
export interface SandboxRequest {
  view: SandboxView
  /** A program with its arguments, or a command line for the shell. */
  command: readonly string[] | string
  timeoutMs: number
  signal?: AbortSignal | undefined
}

/** Why a run ended: the command ended, or a limit stopped it. */
export type SandboxEnd =
  | "ended"
  | "timed-out"
  | "aborted"
  | "too-much-memory"
  | "too-many-processes"
  | "too-much-disk"
  | "not-started"

/** The result of a command. */
export interface SandboxResult {
  /** Null if it was stopped or did not start. */
  exitCode: number | null
  /** Standard output and error together; of a long text the beginning and the end. */
  output: string
  reason: SandboxEnd
  /** One sentence about what stopped it, for the user and the model; empty if it ended by itself. */
  message: string
}

/** The limits of one command. */
export interface SandboxLimits {
  /** For all its processes together (Linux), and for each process. */
  memoryMb: number
  processes: number
  /** For the whole worktree. */
  diskMb: number
}

/** Runs commands that can change nothing outside of the worktree. */
export interface Sandbox {
  name: "bubblewrap" | "seatbelt"
  /** Never throws because of the command. When it returns, every process of the command has ended. */
  run(request: SandboxRequest): Promise<SandboxResult>
}

/** What opening a sandbox needs. */
export interface SandboxSetup {
  clock: Clock
  /** The program that confines commands. */
  program: string
  /** Folders of programs and packages besides the system's own. */
  readable: readonly string[]
  limits: SandboxLimits
}
