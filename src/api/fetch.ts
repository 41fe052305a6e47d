import { codeOf } from "../base/errors.ts"

/** The part of `fetch` that the client uses; a browser's own fits. */
export type Fetch = (url: string, init?: FetchInit) => Promise<FetchResponse>

/** `streams` returns the answer before its end. */
export type FetchInit = RequestInit & { streams?: boolean }

/** The part of a `Response` that the client uses. */
export interface FetchResponse {
  ok: boolean
  status: number
  headers: Pick<Headers, "get">
  json(): Promise<unknown>
  body: ReadableStream<Uint8Array> | null
}

/** Whether an error means that the connection was lost, so that a retry may help. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error) || codeOf(error instanceof Error ? error.cause : undefined)
  const codes = ["ECONNREFUSED", "ECONNRESET", "ENOENT", "EPIPE", "ERR_STREAM_PREMATURE_CLOSE"]
  return codes.includes(code) || (error instanceof Error && error.message === "aborted")
}
