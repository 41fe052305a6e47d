import {
  APICallError,
  EmptyResponseBodyError,
  InvalidResponseDataError,
  JSONParseError,
  LoadAPIKeyError,
  TypeValidationError,
} from "@ai-sdk/provider"
import { codeOf, messageOf, tooManyFiles } from "../../base/errors.ts"
import { type RefusedAnswer, refusedAnswerIn } from "../../base/net/limit-fetch.ts"
import type { AccessId } from "../choice/access.ts"
import type { Failure, FailureKind } from "../failure.ts"
import { retryTime } from "../limits/read-headers.ts"

interface Asked {
  access: AccessId
  /** The server's name for people. */
  name: string
  model: string
  now: number
}

/** Whatever a provider or the way to it did wrong, as data. */
export function toFailure(error: unknown, asked: Asked): Failure {
  const refused = refusedAnswerIn(error)
  if (refused) return refusedFailure(refused, asked)
  if (APICallError.isInstance(error)) return callFailure(error, asked)
  if (LoadAPIKeyError.isInstance(error)) return { kind: "auth", message: authSentence(asked) }
  if (isUnreadable(error)) return unreadable(asked, messageOf(error))
  if (isProviderError(error)) return errorEvent(error, asked)
  return connectionFailure(error, asked)
}

/** What our own limits did not let through. */
function refusedFailure({ why, message }: RefusedAnswer, asked: Asked): Failure {
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

/** An answer that broke off or made no sense. */
export function unreadable({ name }: Asked, detail: string): Failure {
  return { kind: "malformed", message: `The answer of ${name} could not be read (${short(detail)}).` }
}

function callFailure(error: APICallError, asked: Asked): Failure {
  const status = error.statusCode
  if (status === undefined) return connectionFailure(error.cause ?? error, asked)
  if (status < 300) return unreadable(asked, error.message)
  const said = `${error.message} ${error.responseBody ?? ""}`
  const kind = kindOf(status, said)
  const retryAt = retryTime(error.responseHeaders ?? {}, asked.now)
  const told = retryAt === undefined || kind === "auth" ? {} : { retryAt }
  return { kind, message: sentence(kind, asked, error.message), status, ...told }
}

/** Providers agree on few status codes, so the words of the error decide where the number leaves doubt. */
function kindOf(status: number, said: string): FailureKind {
  if (/insufficient_quota|credit balance|billing|payment/i.test(said) || status === 402) return "billing"
  if (status === 401 || status === 403 || /invalid_api_key|authentication_error/.test(said)) return "auth"
  if (/context_length_exceeded|prompt is too long|maximum context|exceeds? the context/i.test(said))
    return "context-full"
  if (/model_not_found|model_not_supported|no endpoints found/i.test(said) || isMissingModel(status, said))
    return "unknown-model"
  if (status === 429) return "rate-limited"
  if (status === 408 || status === 409 || status >= 500) return "overloaded"
  return "bad-request"
}

function isMissingModel(status: number, said: string): boolean {
  return (
    (status === 404 || status === 400) &&
    /model/i.test(said) &&
    /not[_ ](found|exist|supported|a valid)/i.test(said)
  )
}

function sentence(kind: FailureKind, asked: Asked, detail: string): string {
  const { name, model } = asked
  switch (kind) {
    case "billing":
      return `${name} refuses for lack of credit: ${short(detail)}`
    case "auth":
      return authSentence(asked)
    case "context-full":
      return `The conversation is longer than ${model} can take.`
    case "unknown-model":
      return `${name} knows no model called ${model}; set another with \`reverie config set models.…\` (see \`reverie models\`).`
    case "rate-limited":
      return `${name} wants fewer requests for now: ${short(detail)}`
    case "overloaded":
      return `${name} has trouble of its own: ${short(detail)}`
    default:
      return `${name} refused the request: ${short(detail)}`
  }
}

function authSentence({ access, name }: Asked): string {
  switch (access) {
    case "chatgpt":
      return "ChatGPT does not accept the sign-in any more; sign in again with `reverie login chatgpt`."
    case "local":
      return `${name} wants another key; set the variable named by models.local_key_env.`
    default:
      return `${name} does not accept the key; set a right one with \`reverie login ${access}\`.`
  }
}

/** A stream may carry an error instead of the rest of the answer. */
function errorEvent(error: { type?: unknown; code?: unknown; message?: unknown }, asked: Asked): Failure {
  const said = JSON.stringify(error)
  const kind = kindOf(
    /rate_limit/.test(said) ? 429 : /overloaded|server_error|api_error/.test(said) ? 500 : 400,
    said,
  )
  const detail = typeof error.message === "string" ? error.message : said
  return { kind, message: sentence(kind, asked, detail) }
}

function isProviderError(error: unknown): error is { message?: unknown } {
  return typeof error === "object" && error !== null && !(error instanceof Error)
}

function connectionFailure(error: unknown, asked: Asked): Failure {
  const full = tooManyFiles(error)
  if (full) return { kind: "unreachable", message: full.message }
  const code = codeOf(rootOf(error))
  if (code === "UND_ERR_SOCKET" || code === "ECONNRESET" || code === "EPIPE")
    return unreadable(asked, "the connection broke off")
  if (code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT" || code === "ETIMEDOUT")
    return silence(asked)
  const detail = code === "" ? messageOf(rootOf(error)) : code
  const advice =
    asked.access === "local" ? "is it running, and is models.local_url right?" : "look at your connection."
  return { kind: "unreachable", message: `${asked.name} cannot be reached (${short(detail)}); ${advice}` }
}

/** Nothing came for too long. */
export function silence({ name }: Asked): Failure {
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
