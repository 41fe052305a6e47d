import type { Failure, FailureKind } from "../failure.ts"
import type { LimitReading } from "../limits/limit-reading.ts"
import { lastReset } from "../limits/read-headers.ts"
import { failureSentence } from "./program-messages.ts"

interface CodexError {
  message: string
  /** Codex's name for the kind of failure, from the recorded session; undefined if it recorded none. */
  info: unknown
  readings: readonly LimitReading[]
  model: string
}

/** Converts codex's error. */
export function codexFailure(error: CodexError): Failure {
  const { name, status } = infoOf(error.info)
  const kind = kindOf(name, status, error.message)
  const until = lastReset(error.readings)
  const { model, message: detail } = error
  return {
    kind,
    message: failureSentence(kind, names, { model, detail, knowsWhen: until !== undefined }),
    ...(status === undefined ? {} : { status }),
    ...(kind === "rate-limited" && until !== undefined ? { retryAt: until } : {}),
  }
}

/** Kinds come as "usage_limit_exceeded" or as { http_connection_failed: { http_status_code: 502 } }. */
function infoOf(info: unknown): { name: string; status: number | undefined } {
  if (typeof info === "string") return { name: info, status: undefined }
  if (typeof info !== "object" || info === null) return { name: "", status: undefined }
  const [name, detail] = Object.entries(info)[0] ?? ["", undefined]
  const status = detail?.http_status_code
  return { name, status: typeof status === "number" ? status : undefined }
}

const kindsByName: Record<string, FailureKind> = {
  context_window_exceeded: "context-full",
  usage_limit_exceeded: "rate-limited",
  server_overloaded: "overloaded",
  internal_server_error: "overloaded",
  unauthorized: "auth",
  model_not_found: "unknown-model",
  bad_request: "bad-request",
}

/** For errors without a known name, and for versions that record none. The first match wins. */
const kindsByWords: readonly [RegExp, FailureKind][] = [
  [/quota exceeded|insufficient_quota|billing/i, "billing"],
  [/usage limit|429|rate limit/i, "rate-limited"],
  [/context_length_exceeded|context window/i, "context-full"],
  [/model\b.*\b(not supported|does not exist|not found)|model_not_found/i, "unknown-model"],
  [/\b40[13]\b|unauthorized|invalid_api_key|sign in|log ?in|token .*(expired|revoked|refresh)/i, "auth"],
  [/high demand|at capacity|overloaded|\b5\d\d\b/i, "overloaded"],
  [/stream (disconnected|closed)|incomplete/i, "malformed"],
  [/connection failed|error sending request|timed? ?out|dns/i, "unreachable"],
]

function kindOf(name: string, status: number | undefined, message: string): FailureKind {
  if (/^quota exceeded/i.test(message)) return "billing"
  const named = kindsByName[name]
  if (named !== undefined) return named
  if (status !== undefined) return kindByStatus(status)
  return kindsByWords.find(([words]) => words.test(message))?.[1] ?? "bad-request"
}

function kindByStatus(status: number): FailureKind {
  if (status === 401 || status === 403) return "auth"
  if (status === 402) return "billing"
  if (status === 429) return "rate-limited"
  return status >= 500 ? "overloaded" : "bad-request"
}

const names = {
  program: "codex",
  provider: "OpenAI",
  plan: "ChatGPT",
  signInAgain: "codex is no longer signed in; run `codex login`.",
}
