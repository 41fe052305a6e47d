/** Why a fetch failed. */
export type FetchProblem =
  /** The address is invalid or not allowed. */
  | "address"
  | "unreachable"
  | "timeout"
  | "redirect"
  | "too-much"
  /** The response is invalid HTTP, or cannot be decompressed. */
  | "broken"
  /** The server answered with an error status. */
  | "status"
  /** The server asked for a pause, or too many requests wait for it. */
  | "busy"
  | "stopped"

/** A decompressed response within all limits. */
export interface Fetched {
  ok: true
  /** 2xx, or 304 for a conditional request. */
  status: number
  /** The final address after all redirects. */
  url: string
  /** Keyed by lower-case name; the first value of repeated headers. */
  headers: ReadonlyMap<string, string>
  body: Uint8Array
}

/** A failed fetch; the message completes "It could not be fetched: …". */
export interface NotFetched {
  ok: false
  why: FetchProblem
  message: string
  status?: number
  /** Do not try again before this moment. */
  retryAt?: number
}

export type FetchOutcome = Fetched | NotFetched

/** Thrown only inside of a fetch. */
export class FetchFailure extends Error {
  readonly outcome: NotFetched
  constructor(
    why: FetchProblem,
    message: string,
    more: Partial<Pick<NotFetched, "status" | "retryAt">> = {},
  ) {
    super(message)
    this.name = "FetchFailure"
    this.outcome = { ...more, ok: false, why, message }
  }
}
