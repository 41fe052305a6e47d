import { codeOf } from "../base/errors.ts"

/** As much of `fetch` as the client uses; a browser's own will do. */
export type Ask = (url: string, init?: Asking) => Promise<Answered>

/** `streams` asks for the answer as it comes, without waiting for its end. */
export type Asking = RequestInit & { streams?: boolean }

/** As much of a `Response` as the client uses. */
export interface Answered {
  ok: boolean
  status: number
  headers: Pick<Headers, "get">
  json(): Promise<unknown>
  body: ReadableStream<Uint8Array> | null
}

/** Whether a failure means that the other side went away in the middle, so that asking again may help. */
export function isCutOff(error: unknown): boolean {
  const code = codeOf(error) || codeOf(error instanceof Error ? error.cause : undefined)
  const codes = ["ECONNREFUSED", "ECONNRESET", "ENOENT", "EPIPE", "ERR_STREAM_PREMATURE_CLOSE"]
  return codes.includes(code) || (error instanceof Error && error.message === "aborted")
}
