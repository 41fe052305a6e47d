/** Why nothing was fetched. */
export type FetchProblem =
  /** The address is none that is fetched, or leads where nothing may be fetched. */
  | "address"
  | "unreachable"
  | "timeout"
  | "redirect"
  | "too-much"
  /** The answer breaks the rules of HTTP, or cannot be unpacked. */
  | "broken"
  /** The server answered that it will not, or cannot. */
  | "status"
  /** The server asked to be left alone for a while, or too many already wait for it. */
  | "busy"
  | "stopped"

/** An answer, unpacked, within all bounds. */
export interface Fetched {
  ok: true
  /** 2xx, or 304 where the request had what was known before. */
  status: number
  /** Where it came from after all redirects. */
  url: string
  /** By lower-case names; of repeated ones the first. */
  headers: ReadonlyMap<string, string>
  body: Uint8Array
}

/** Nothing usable came; the message completes "It could not be fetched: …". */
export interface NotFetched {
  ok: false
  why: FetchProblem
  message: string
  status?: number
  /** Not to be asked again before this moment. */
  retryAt?: number
}

/** What became of a request. */
export type FetchOutcome = Fetched | NotFetched

/** Thrown inside of a fetch, and never out of it. */
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
