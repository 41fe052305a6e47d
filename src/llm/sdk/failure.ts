import {
  APICallError,
  EmptyResponseBodyError,
  InvalidResponseDataError,
  JSONParseError,
  LoadAPIKeyError,
  TypeValidationError,
} from "@ai-sdk/provider"
import { codeOf, messageOf, tooManyFilesError } from "../../base/errors.ts"
import { type RefusedResponse, refusedResponseIn } from "../../base/net/limit-fetch.ts"
import type { AccessId } from "../choice/access.ts"
import type { Failure, FailureKind } from "../failure.ts"
import { retryTime } from "../limits/read-headers.ts"

interface RequestContext {
  access: AccessId
  /** The server's name for people. */
  name: string
  model: string
  now: number
}

/** Converts any error of a provider or the connection. */
export function toFailure(error: unknown, asked: RequestContext): Failure {
  const refused = refusedResponseIn(error)
  if (refused) return refusedFailure(refused, asked)
  if (APICallError.isInstance(error)) return callFailure(error, asked)
  if (LoadAPIKeyError.isInstance(error)) return { kind: "auth", message: authSentence(asked) }
  if (isUnreadable(error)) return unreadable(asked, messageOf(error))
  if (isProviderError(error)) return errorEvent(error, asked)
  return connectionFailure(error, asked)
}

/** An answer that our own limits rejected. */
function refusedFailure({ why, message }: RefusedResponse, asked: RequestContext): Failure {
  if (why === "too-much") return unreadable(asked, message)
  return { kind: "unreachable", message: `${asked.name} cannot be used: ${message}.` }
}

function isUnreadable(error: unknown): boolean {
  return (
    JSONParseError.isInstance(error) ||
    TypeValidationError.isInstance(error) ||
    EmptyResponseBodyError.isInstance(error) ||
    InvalidResponseDataError.isInstance(error)
  )
}

/** An answer that was cut off or could not be parsed. */
export function unreadable({ name }: RequestContext, detail: string): Failure {
  return { kind: "malformed", message: `The answer of ${name} could not be read (${short(detail)}).` }
}

function callFailure(error: APICallError, asked: RequestContext): Failure {
  const status = error.statusCode
  if (status === undefined) return connectionFailure(error.cause ?? error, asked)
  if (status < 300) return unreadable(asked, error.message)
  const text = `${error.message} ${error.responseBody ?? ""}`
  const kind = kindOf(status, text)
  const retryAt = retryTime(error.responseHeaders ?? {}, asked.now)
  const retry = retryAt === undefined || kind === "auth" ? {} : { retryAt }
  return { kind, message: sentence(kind, asked, error.message), status, ...retry }
}

/** Status codes differ between providers, so the error's text decides where the code is ambiguous. */
function kindOf(status: number, text: string): FailureKind {
  if (/insufficient_quota|credit balance|billing|payment/i.test(text) || status === 402) return "billing"
  if (status === 401 || status === 403 || /invalid_api_key|authentication_error/.test(text)) return "auth"
  if (/context_length_exceeded|prompt is too long|maximum context|exceeds? the context/i.test(text))
    return "context-full"
  if (/model_not_found|model_not_supported|no endpoints found/i.test(text) || isMissingModel(status, text))
    return "unknown-model"
  if (status === 429) return "rate-limited"
  if (status === 408 || status === 409 || status >= 500) return "overloaded"
  return "bad-request"
}

function isMissingModel(status: number, text: string): boolean {
  return (
    (status === 404 || status === 400) &&
    /model/i.test(text) &&
    /not[_ ](found|exist|supported|a valid)/i.test(text)
  )
}

function sentence(kind: FailureKind, asked: RequestContext, detail: string): string {
  const { name, model } = asked
  switch (kind) {
    case "billing":
      return `${name} refuses for lack of credit: ${short(detail)}`
    case "auth":
      return authSentence(asked)
    case "context-full":
      return `The conversation is too long for ${model}.`
    case "unknown-model":
      return `${name} has no model ${model}; set another with \`reverie config set models.…\` (see \`reverie models\`).`
    case "rate-limited":
      return `${name} limits your requests for now: ${short(detail)}`
    case "overloaded":
      return `${name} has a problem of its own: ${short(detail)}`
    default:
      return `${name} refused the request: ${short(detail)}`
  }
}

function authSentence({ access, name }: RequestContext): string {
  switch (access) {
    case "chatgpt":
      return "ChatGPT no longer accepts the sign-in; sign in again with `reverie login chatgpt`."
    case "local":
      return `${name} requires another key; set the variable named by models.local_key_env.`
    default:
      return `${name} does not accept the key; save a valid one with \`reverie login ${access}\`.`
  }
}

/** An error event in a stream. */
function errorEvent(
  error: { type?: unknown; code?: unknown; message?: unknown },
  asked: RequestContext,
): Failure {
  const text = JSON.stringify(error)
  const kind = kindOf(
    /rate_limit/.test(text) ? 429 : /overloaded|server_error|api_error/.test(text) ? 500 : 400,
    text,
  )
  const detail = typeof error.message === "string" ? error.message : text
  return { kind, message: sentence(kind, asked, detail) }
}

function isProviderError(error: unknown): error is { message?: unknown } {
  return typeof error === "object" && error !== null && !(error instanceof Error)
}

function connectionFailure(error: unknown, asked: RequestContext): Failure {
  const full = tooManyFilesError(error)
  if (full) return { kind: "unreachable", message: full.message }
  const code = codeOf(rootOf(error))
  if (code === "UND_ERR_SOCKET" || code === "ECONNRESET" || code === "EPIPE")
    return unreadable(asked, "the connection was cut off")
  if (code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT" || code === "ETIMEDOUT")
    return timeoutFailure(asked)
  const detail = code === "" ? messageOf(rootOf(error)) : code
  const advice =
    asked.access === "local" ? "is it running, and is models.local_url right?" : "check your connection."
  return { kind: "unreachable", message: `${asked.name} cannot be reached (${short(detail)}); ${advice}` }
}

export function timeoutFailure({ name }: RequestContext): Failure {
  return { kind: "timeout", message: `${name} did not answer in time.` }
}

function rootOf(error: unknown): unknown {
  let root = error
  while (root instanceof Error && root.cause !== undefined) root = root.cause
  return root
}

function short(detail: string): string {
  const line = detail.replaceAll(/\s+/g, " ").trim()
  return line.length > 200 ? `${line.slice(0, 200)}…` : line
}
