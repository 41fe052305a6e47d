/** Exit codes of the program, as its users rely on them. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  notRunning: 3,
  refused: 4,
  limited: 5,
  lost: 6,
  interrupted: 130,
} as const

/** What kind of mistake or trouble it is; decides the exit code and the HTTP status. */
export type ErrorKind =
  | "usage"
  | "not-found"
  | "conflict"
  | "config"
  | "storage"
  /** The database is gone, or replaced by another one. */
  | "lost"
  | "too-large"
  | "not-running"
  | "refused"
  | "unauthorized"
  | "failed"

/** Something the user can understand and mend: one sentence that says what is wrong and what to do. */
export class UserError extends Error {
  readonly kind: ErrorKind
  constructor(kind: ErrorKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = "UserError"
    this.kind = kind
  }
}

/** The exit code a failure of this kind ends the program with. */
export function exitCodeOf(error: unknown): number {
  if (!(error instanceof UserError)) return exitCodes.failed
  switch (error.kind) {
    case "usage":
    case "too-large":
      return exitCodes.usage
    case "lost":
      return exitCodes.lost
    case "not-running":
      return exitCodes.notRunning
    case "refused":
      return exitCodes.refused
    default:
      return exitCodes.failed
  }
}

/** The sentence for a process or a machine that may open no more files; undefined where it is something else. */
export function tooManyFiles(error: unknown): UserError | undefined {
  let found = error
  while (found instanceof Error && !/^E[MN]FILE$/.test(codeOf(found))) found = found.cause
  if (!(found instanceof Error)) return undefined
  const advice = "close some programs, or raise the limit that `ulimit -n` shows, and try again."
  return new UserError("failed", `Too many files are open at once; ${advice}`, { cause: error })
}

/** The message of anything thrown, in one line. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.replaceAll(/\s*\n\s*/g, " ").trim()
}

/** The system's own error code (ENOENT, 28P01, ...) of anything thrown, or an empty text. */
export function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return ""
  return typeof error.code === "string" ? error.code : ""
}
