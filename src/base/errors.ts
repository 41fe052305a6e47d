/** Exit codes of the program. Users rely on them. */
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

/** The kind of an error; it decides the exit code and the HTTP status. */
export type ErrorKind =
  | "usage"
  | "not-found"
  | "conflict"
  | "config"
  | "storage"
  /** The database was deleted or replaced. */
  | "lost"
  | "too-large"
  | "not-running"
  | "refused"
  | "unauthorized"
  | "failed"

/** An error that the user can fix. Its message is one sentence: what is wrong and what to do. */
export class UserError extends Error {
  readonly kind: ErrorKind
  constructor(kind: ErrorKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = "UserError"
    this.kind = kind
  }
}

/** The exit code for an error. */
export function exitCodeOf(error: unknown): number {
  return (error instanceof UserError ? exitCodesByKind[error.kind] : undefined) ?? exitCodes.failed
}

const exitCodesByKind: Partial<Record<ErrorKind, number>> = {
  usage: exitCodes.usage,
  "too-large": exitCodes.usage,
  lost: exitCodes.lost,
  "not-running": exitCodes.notRunning,
  refused: exitCodes.refused,
}

/** A UserError if the limit of open files caused the error; otherwise undefined. */
export function tooManyFilesError(error: unknown): UserError | undefined {
  let found = error
  while (found instanceof Error && !/^E[MN]FILE$/.test(codeOf(found))) found = found.cause
  if (!(found instanceof Error)) return undefined
  const advice = "close some programs, or raise the limit that `ulimit -n` shows, and try again."
  return new UserError("failed", `Too many files are open at once; ${advice}`, { cause: error })
}

/** The message of any thrown value, on one line. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.replaceAll(/\s*\n\s*/g, " ").trim()
}

/** The system's error code (ENOENT, 28P01, …) of any thrown value, or an empty string. */
export function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return ""
  return typeof error.code === "string" ? error.code : ""
}
