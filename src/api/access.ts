import { Hono } from "hono"
import { UserError } from "../base/errors.ts"
import type { Log } from "../base/log.ts"
import { hookToken } from "../config/install.ts"
import { answerFailure } from "./answers/answer.ts"
import { type Dashboard, webRoutes } from "./web/routes.ts"
import { cookieName, isSameSecret, pageKeyHeader, readCookie } from "./web/sign-in.ts"

/** How the app is reached over loopback TCP. */
export interface LoopbackAccess {
  token: string
  log: Log
  /** The address under which the user reaches approval links from outside; empty for none. */
  linkBase?: string | undefined
  /** The dashboard, if it is served. */
  web?: Dashboard | undefined
}

/** The page of an approval link. The link itself is the proof, so this path alone needs no token. */
const linkPage = /^\/approve\/[\w.-]{1,200}$/
/** Paths of the API; every other path belongs to the dashboard. */
const apiPath = /^\/(?:v1|mcp|approve)(?:\/|$)/
/** Paths that need the installation's token; a signed-in browser may not use them. */
const tokenOnly = /^\/v1\/(?:web|hooks)\//

type Access = LoopbackAccess & { port(): number }

/**
 * Guards the app on loopback TCP, where any local program and any web page can send requests: it accepts only our own
 * names in Host and Origin, and only the installation's token or a browser that was signed in with it.
 */
export function guardApp(app: Hono, needs: Access): Hono {
  const guarded = new Hono()
  guarded.use(async (context, next) => {
    const problem = refusal(needs, context.req.raw)
    if (problem) return answerFailure(context, problem, needs.log)
    await next()
  })
  const web = needs.web && webRoutes({ ...needs.web, port: needs.port })
  web?.onError((error, context) => answerFailure(context, error, needs.log))
  guarded.all("*", (context) => {
    const isWeb = web !== undefined && isDashboardRequest(context.req.raw)
    return (isWeb ? web : app).fetch(context.req.raw)
  })
  return guarded
}

function refusal(needs: Access, request: Request): UserError | undefined {
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
    return new UserError("refused", "Requests from other web pages are refused.")
  }
  if (isLinkPage) return undefined
  if (needs.web !== undefined && isDashboardRequest(request)) return pageProblem(request)
  if (needs.web !== undefined && isSignedIn(needs, needs.web, request, path)) return pageProblem(request)
  const [scheme, token = ""] = (headers.get("authorization") ?? "").split(" ")
  const accepted = path.startsWith("/v1/hooks/") ? [needs.token, hookToken(needs.token)] : [needs.token]
  if (scheme?.toLowerCase() === "bearer" && accepted.some((one) => isSameSecret(token, one))) return undefined
  return new UserError("unauthorized", "Send the installation's token as `Authorization: Bearer TOKEN`.")
}

/** Whether a request is for the dashboard's files, or signs in or out. */
function isDashboardRequest(request: Request): boolean {
  const path = new URL(request.url).pathname
  if (request.method === "POST") return path === "/web/sign-in" || path === "/web/sign-out"
  return (request.method === "GET" || request.method === "HEAD") && !apiPath.test(path)
}

function isSignedIn({ port }: Access, { signIn }: Dashboard, request: Request, path: string): boolean {
  if (!path.startsWith("/v1/") || tokenOnly.test(path)) return false
  const cookie = readCookie(request.headers, cookieName(port()))
  return signIn.accepts(cookie, request.headers.get(pageKeyHeader) ?? "")
}

/** Requests of a browser must come from our own page, and requests that change something must have an Origin. */
function pageProblem({ method, headers }: Request): UserError | undefined {
  const isReading = method === "GET" || method === "HEAD"
  const site = headers.get("sec-fetch-site")
  const isFromElsewhere = site !== null && site !== "same-origin" && site !== "none"
  // A link on another page may open ours; that reads and changes nothing.
  const isVisit = isReading && headers.get("sec-fetch-mode") === "navigate"
  if (isFromElsewhere && !isVisit)
    return new UserError("refused", "Requests from other web pages are refused.")
  if (!isReading && headers.get("origin") === null)
    return new UserError("refused", "A browser's request needs an Origin header.")
  return undefined
}
