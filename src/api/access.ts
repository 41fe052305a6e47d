import { createHash, timingSafeEqual } from "node:crypto"
import { Hono } from "hono"
import { UserError } from "../base/errors.ts"
import type { Log } from "../base/log.ts"
import { hookToken } from "../config/install.ts"
import { answerFailure } from "./answers/answer.ts"

interface AccessNeeds {
  token: string
  log: Log
  /** The port that is really listened on. */
  port(): number
  /** Where the person reaches the page of a link from outside; empty for nowhere. */
  linkBase?: string | undefined
}

/** The page of a link: the link itself is the proof, so it needs no token. Nothing else is reached this way. */
const linkPage = /^\/approve\/[\w.-]{1,200}$/

/**
 * The app as it may be reached over loopback TCP, where any local program and any web page could try: only our
 * own names in Host and Origin, and only with the installation's token.
 */
export function guardApp(app: Hono, needs: AccessNeeds): Hono {
  const guarded = new Hono()
  guarded.use(async (context, next) => {
    const problem = refusal(needs, context.req.raw.headers, context.req.path)
    if (problem) return answerFailure(context, problem, needs.log)
    await next()
  })
  guarded.all("*", (context) => app.fetch(context.req.raw))
  return guarded
}

function refusal(needs: AccessNeeds, headers: Headers, path: string): UserError | undefined {
  const own = ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${needs.port()}`)
  const isLinkPage = linkPage.test(path)
  const outside = isLinkPage && needs.linkBase ? [new URL(needs.linkBase)] : []
  const hosts = [...own, ...outside.map(({ host }) => host)]
  if (!hosts.includes(headers.get("host") ?? "")) {
    return new UserError("refused", `Requests must name the host ${own[0]}.`)
  }
  const origin = headers.get("origin")
  const origins = [...own.map((host) => `http://${host}`), ...outside.map((base) => base.origin)]
  if (origin !== null && !origins.includes(origin)) {
    return new UserError("refused", "Requests from other web pages are not answered.")
  }
  if (isLinkPage) return undefined
  const [scheme, token = ""] = (headers.get("authorization") ?? "").split(" ")
  const accepted = path.startsWith("/v1/hooks/") ? [needs.token, hookToken(needs.token)] : [needs.token]
  if (scheme?.toLowerCase() === "bearer" && accepted.some((one) => sameText(token, one))) return undefined
  return new UserError("unauthorized", "Send the installation's token as `Authorization: Bearer TOKEN`.")
}

/** Compares in the same time whatever the difference. */
function sameText(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
