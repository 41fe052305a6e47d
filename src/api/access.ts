import { Hono } from "hono"
import { UserError } from "../base/errors.ts"
import type { Log } from "../base/log.ts"
import { hookToken } from "../config/install.ts"
import { answerFailure } from "./answers/answer.ts"
import { type WebNeeds, webRoutes } from "./web/routes.ts"
import { cookieIn, cookieName, pageKeyHeader, sameText } from "./web/sign-in.ts"

interface AccessNeeds {
  token: string
  log: Log
  /** The port that is really listened on. */
  port(): number
  /** Where the person reaches the page of a link from outside; empty for nowhere. */
  linkBase?: string | undefined
  /** The dashboard, where it is served. */
  web?: WebNeeds | undefined
}

/** The page of a link: the link itself is the proof, so it needs no token. Nothing else is reached this way. */
const linkPage = /^\/approve\/[\w.-]{1,200}$/
/** What belongs to the API and its neighbours; every other path is the dashboard's. */
const ofApi = /^\/(?:v1|mcp|approve)(?:\/|$)/
/** What the installation's token alone opens. */
const tokenOnly = /^\/v1\/(?:web|hooks)\//

/**
 * The app as it may be reached over loopback TCP, where any local program and any web page could try: only our
 * own names in Host and Origin, and only with the installation's token, or as a browser that was signed in with it.
 */
export function guardApp(app: Hono, needs: AccessNeeds): Hono {
  const guarded = new Hono()
  guarded.use(async (context, next) => {
    const problem = refusal(needs, context.req.raw)
    if (problem) return answerFailure(context, problem, needs.log)
    await next()
  })
  const web = needs.web && webRoutes({ ...needs.web, port: needs.port })
  web?.onError((error, context) => answerFailure(context, error, needs.log))
  guarded.all("*", (context) => {
    const isWeb = web !== undefined && isOfWeb(context.req.raw)
    return (isWeb ? web : app).fetch(context.req.raw)
  })
  return guarded
}

function refusal(needs: AccessNeeds, request: Request): UserError | undefined {
  const { headers } = request
  const path = new URL(request.url).pathname
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
  if (needs.web !== undefined && isOfWeb(request)) return pageProblem(request)
  if (needs.web !== undefined && isSignedIn(needs, needs.web, request, path)) return pageProblem(request)
  const [scheme, token = ""] = (headers.get("authorization") ?? "").split(" ")
  const accepted = path.startsWith("/v1/hooks/") ? [needs.token, hookToken(needs.token)] : [needs.token]
  if (scheme?.toLowerCase() === "bearer" && accepted.some((one) => sameText(token, one))) return undefined
  return new UserError("unauthorized", "Send the installation's token as `Authorization: Bearer TOKEN`.")
}

/** The dashboard's own files, and signing in and out. */
function isOfWeb(request: Request): boolean {
  const path = new URL(request.url).pathname
  if (request.method === "POST") return path === "/web/sign-in" || path === "/web/sign-out"
  return (request.method === "GET" || request.method === "HEAD") && !ofApi.test(path)
}

function isSignedIn({ port }: AccessNeeds, { signIn }: WebNeeds, request: Request, path: string): boolean {
  if (!path.startsWith("/v1/") || tokenOnly.test(path)) return false
  const cookie = cookieIn(request.headers, cookieName(port()))
  return signIn.accepts(cookie, request.headers.get(pageKeyHeader) ?? "")
}

/** What a browser sends must come from our own page: whatever changes something says so by its origin. */
function pageProblem({ method, headers }: Request): UserError | undefined {
  const isReading = method === "GET" || method === "HEAD"
  const site = headers.get("sec-fetch-site")
  const isFromElsewhere = site !== null && site !== "same-origin" && site !== "none"
  // A link on another page may lead to ours; nothing is read or changed by that.
  const isVisit = isReading && headers.get("sec-fetch-mode") === "navigate"
  if (isFromElsewhere && !isVisit)
    return new UserError("refused", "Requests from other web pages are not answered.")
  if (!isReading && headers.get("origin") === null)
    return new UserError("refused", "A browser's request must say which page it comes from (Origin).")
  return undefined
}
