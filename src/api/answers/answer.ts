import type { Context } from "hono"
import type { ContentfulStatusCode } from "hono/utils/http-status"
import { type ErrorKind, messageOf, tooManyFilesError, UserError } from "../../base/errors.ts"
import type { Log } from "../../base/log.ts"

/** The version of the JSON in every answer. */
export const schemaVersion = 1

/** The answer of a failed call. */
export interface Failure {
  schemaVersion: number
  error: { kind: ErrorKind; message: string }
}

const noticeHeader = "x-reverie-notice"

/** Adds a message for the user to an answer, in a header. */
export function setNotice(context: Context, text: string | undefined): void {
  if (text !== undefined) context.header(noticeHeader, encodeURIComponent(text))
}

/** The message for the user in an answer. */
export function noticeOf(response: { headers: Pick<Headers, "get"> }): string | undefined {
  const text = response.headers.get(noticeHeader)
  return text === null ? undefined : decodeURIComponent(text)
}

const statuses: Record<ErrorKind, ContentfulStatusCode> = {
  usage: 400,
  config: 500,
  storage: 503,
  lost: 503,
  "too-large": 413,
  failed: 500,
  "not-found": 404,
  conflict: 409,
  "not-running": 503,
  refused: 403,
  unauthorized: 401,
}

/** What clients see of an error. The details of unexpected errors go to the log only. */
export function failureOf(thrown: unknown, log: Log): Failure {
  const error = tooManyFilesError(thrown) ?? thrown
  if (error instanceof UserError)
    return { schemaVersion, error: { kind: error.kind, message: error.message } }
  const stack = error instanceof Error ? error.stack : undefined
  log.error("A request failed", { reason: messageOf(error), stack })
  const message = `Reverie failed here: ${messageOf(error)}. This is a bug in Reverie; \`reverie logs\` has the details.`
  return { schemaVersion, error: { kind: "failed", message } }
}

/** Answers with an error. */
export function answerFailure(context: Context, error: unknown, log: Log): Response {
  const failure = failureOf(error, log)
  return context.json(failure, statuses[failure.error.kind])
}
