import type { Context, MiddlewareHandler } from "hono"
import { bodyLimit } from "hono/body-limit"
import { UserError } from "../base/errors.ts"
import type { Log } from "../base/log.ts"
import { bytesText } from "../base/text.ts"
import { answerFailure } from "./answer.ts"

/** More than any request of ours has to say. */
const usualBytes = 4_000_000
/** More than any tool hands its hooks, short of a file dump that is not worth the time. */
const hookBytes = 32_000_000

/** Answers a body that is too long with 413, before it is held in memory. Only an import may go on for ever. */
export function limitBodies(log: Log): MiddlewareHandler {
  const limit = (maxSize: number) =>
    bodyLimit({ maxSize, onError: (context) => refuse(context, maxSize, log) })
  const usual = limit(usualBytes)
  const hooks = limit(hookBytes)
  return async (context, next) => {
    const { path } = context.req
    // Its lines are limited one by one.
    if (path === "/v1/memories/import") return next()
    return path.startsWith("/v1/hooks/") ? hooks(context, next) : usual(context, next)
  }
}

function refuse(context: Context, maxSize: number, log: Log): Response {
  const advice = "send less at once, or use `reverie memory import` for many memories."
  const error = new UserError("too-large", `The request is larger than ${bytesText(maxSize)}; ${advice}`)
  return answerFailure(context, error, log)
}
