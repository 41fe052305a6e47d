/** Why a model gave no answer. */
export type FailureKind =
  /** The provider limits requests; `retryAt` says until when, if it is known. */
  | "rate-limited"
  /** The provider has a problem of its own (5xx, 529). */
  | "overloaded"
  /** The key or sign-in is missing, wrong or expired. */
  | "auth"
  /** No credit, or a plan that does not cover the request. */
  | "billing"
  | "unknown-model"
  | "context-full"
  /** The provider refused the request for another reason. */
  | "bad-request"
  /** No connection, or the program is not installed. */
  | "unreachable"
  | "timeout"
  /** The caller aborted the call. */
  | "aborted"
  /** The answer was cut off or could not be parsed. */
  | "malformed"
  /** Neither text nor a tool call. */
  | "empty"

/** Why a call failed. */
export interface Failure {
  kind: FailureKind
  /** One sentence: what is wrong and what to do. Contains no secret. */
  message: string
  /** HTTP status, where there was one. */
  status?: number
  /** When it may be tried again (milliseconds since 1970), if the provider says. */
  retryAt?: number
}
