/** Why a model gave no answer. */
const failureKinds = [
  /** The provider wants less; `retryAt` says from when on, if it told. */
  "rate-limited",
  /** The provider has trouble of its own (5xx, 529). */
  "overloaded",
  /** The key or sign-in is missing, wrong or expired. */
  "auth",
  /** No credit, or a plan that does not cover it. */
  "billing",
  "unknown-model",
  "context-full",
  /** The provider refused what was asked for another reason. */
  "bad-request",
  /** No connection, or the program is not there. */
  "unreachable",
  /** Nothing came for too long. */
  "timeout",
  /** The caller called it off. */
  "aborted",
  /** It broke off in the middle, or what came could not be understood. */
  "malformed",
  /** Neither text nor a tool call. */
  "empty",
] as const
export type FailureKind = (typeof failureKinds)[number]

/** A call that came to nothing. */
export interface Failure {
  kind: FailureKind
  /** One sentence: what is wrong and what to do. Carries no secret. */
  message: string
  /** HTTP status, where there was one. */
  status?: number
  /** From when on it may be tried again (milliseconds since 1970), where the provider told. */
  retryAt?: number
}
