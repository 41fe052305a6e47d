import { codeOf } from "../base/errors.ts"

/** Whether a failure means that the other side went away in the middle, so that asking again may help. */
export function isCutOff(error: unknown): boolean {
  const code = codeOf(error) || codeOf(error instanceof Error ? error.cause : undefined)
  const codes = ["ECONNREFUSED", "ECONNRESET", "ENOENT", "EPIPE", "ERR_STREAM_PREMATURE_CLOSE"]
  return codes.includes(code) || (error instanceof Error && error.message === "aborted")
}
