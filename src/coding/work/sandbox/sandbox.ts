import type { Clock } from "../../../base/clock.ts"
/** What a command in the sandbox sees of the project, besides the system's own folders. */
export interface SandboxView {
  /** The worktree: the one folder that it may write, and the folder it starts in. */
  root: string
  /** Files and folders that it may read, and where it finds them. A later one may lie inside an earlier one. */
  readable: readonly { from: string; to: string }[]
  /** Files that are there for it alone, read-only. */
  files: readonly { to: string; text: string }[]
}

/** One command to run. */
export interface SandboxRequest {
  view: SandboxView
  /** A program with its arguments, or a line for the shell. */
  command: readonly string[] | string
  timeoutMs: number
  /** Gets what the command writes as it comes, both streams together. */
  onOutput?: ((text: string) => void) | undefined
  signal?: AbortSignal | undefined
}

/** Why a run ended: by itself, or what ended it. */
export type SandboxEnd =
  | "ended"
  | "timed-out"
  | "aborted"
  | "too-much-memory"
  | "too-many-processes"
  | "too-much-disk"
  | "not-started"

/** What became of a command. */
export interface SandboxResult {
  /** Null where it was ended, or never began. */
  exitCode: number | null
  /** The signal that ended it, such as SIGKILL. */
  signal: NodeJS.Signals | null
  /** What it wrote, both streams together; of a long text the beginning and the end. */
  output: string
  timedOut: boolean
  reason: SandboxEnd
  /** One sentence for people and models about what ended it; empty where it ended by itself. */
  message: string
}

/** How much one command may take. */
export interface SandboxLimits {
  /** All its processes together (Linux), and each by itself. */
  memoryMb: number
  processes: number
  /** The worktree as a whole. */
  diskMb: number
}

/** Runs commands that may do nothing outside of the worktree. */
export interface Sandbox {
  name: "bubblewrap" | "seatbelt"
  /** Never throws for what the command does; everything that it started has ended when this returns. */
  run(request: SandboxRequest): Promise<SandboxResult>
}

/** What a sandbox is opened with. */
export interface SandboxSetup {
  clock: Clock
  /** The program that holds commands. */
  program: string
  /** Folders of programs and packages besides the system's own. */
  readable: readonly string[]
  limits: SandboxLimits
}
