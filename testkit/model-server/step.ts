import type { ModelRequest } from "./asked.ts"

/** What the server does with one request, or a function that looks at the request first. */
export type Step = AnswerStep | FailStep
export type ScriptStep = Step | ((request: ModelRequest) => Step | Promise<Step>)

/** An answer, the same for every wire format. What is left out is made up: a short text, plausible usage. */
export interface AnswerStep {
  text?: string
  thinking?: string
  calls?: readonly StepCall[]
  /** So many calls in one answer: of `calls` over and over, or of the first tool offered, with empty input. */
  toolStorm?: number
  /** Neither text nor calls. */
  empty?: true
  usage?: StepUsage
  /** Why it stopped, where that is not because it was done. */
  stop?: "length" | "filtered"
  /** The model that says to have answered; the one asked for, if not given. */
  model?: string
  headers?: Readonly<Record<string, string>>
  /** Milliseconds between the events of a stream, or before a whole answer. */
  slow?: number
  /** Nothing at all comes, or headers and so many events; then silence until either side closes. */
  hang?: true | number
  /** The socket dies after so many events; a whole answer dies in its middle. */
  cut?: number
  /** A stream ends after so many events, without its last ones, as if that were all. */
  endAfter?: number
  /** An event in the middle of a stream, or the whole answer, is no JSON. */
  badJson?: true
}

/** Input that is a string goes over the wire as it stands, so that it may be broken JSON. */
export interface StepCall {
  name: string
  input?: unknown
  id?: string
}

/** Tokens. Cached and written are part of input. */
export interface StepUsage {
  input: number
  output: number
  /** Read from the cache. */
  cached?: number
  /** Put into the cache (Anthropic tells). */
  written?: number
  /** Part of output that was thinking. */
  thinking?: number
  /** OpenRouter tells what it cost. */
  costUsd?: number
}

/** A refusal with the provider's own body. A kind brings the status which that provider answers it with. */
export interface FailStep {
  fail: number | FailKind
  message?: string
  /** Seconds. */
  retryAfter?: number
  headers?: Readonly<Record<string, string>>
  /** In place of the provider's body; a string goes out as it stands. */
  body?: unknown
  /** A stream that begins well and fails after so many events; what it says until then is `text`. */
  after?: number
  text?: string
}

/** Failures whose status and body differ between providers. */
export type FailKind = "context-full" | "no-credit" | "usage-limit"

export function isFailure(step: Step): step is FailStep {
  return "fail" in step
}
