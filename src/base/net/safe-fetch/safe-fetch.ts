import { lookup } from "node:dns/promises"
import type { IncomingHttpHeaders } from "node:http"
import type { Clock } from "../../clock.ts"
import { messageOf } from "../../errors.ts"
import { version } from "../../version.ts"
import { createHostQueue, type HostQueue } from "./host-queue.ts"
import { type Fetched, FetchFailure, type FetchOutcome } from "./outcome.ts"
import { type AddressPolicy, neverAllowed, publicOnly } from "./public-address.ts"
import { type OpenResponse, type Resolve, sendRequest, type TimeLimits } from "./send-request.ts"
import { type SizeLimits, unpack } from "./unpack.ts"

/** Limits for one request. */
interface RequestLimits extends SizeLimits, TimeLimits {
  mostRedirects: number
  /** The pause between two requests to the same host. */
  gapMs: number
}

export interface SafeRequest {
  method?: "GET" | "POST"
  headers?: Readonly<Record<string, string>>
  /** Headers with a key, sent to the first origin only. */
  secretHeaders?: Readonly<Record<string, string>>
  body?: string
  limits?: Partial<RequestLimits>
  /** Hosts (HOST or HOST:PORT) in the user's network that the first address may have. Redirects never lead there. */
  privateHosts?: readonly string[]
  signal?: AbortSignal
}

/** Fetches a third-party resource. Never throws. */
export type SafeFetch = (address: string, request?: SafeRequest) => Promise<FetchOutcome>

interface SafeFetchOptions {
  clock: Clock
  /** Which addresses may be connected to; by default public ones only. */
  policy?: AddressPolicy
  resolve?: Resolve
  limits?: Partial<RequestLimits>
}

/** Our name in the User-Agent header and in robots.txt. */
export const userAgentName = "reverie"
const userAgent = `${userAgentName}/${version} (a personal reader of feeds and pages)`

const usualLimits: RequestLimits = {
  mostBytes: 5_000_000,
  mostUnpackedBytes: 15_000_000,
  connectMs: 10_000,
  firstByteMs: 15_000,
  totalMs: 30_000,
  mostRedirects: 5,
  gapMs: 2000,
}

/**
 * Creates the fetch function for everything that chat reads. It connects to public addresses only, also after DNS and
 * redirects, with limits on time, size and redirects. It ignores HTTP proxies from the environment, because a proxy
 * would resolve names again and connect to unchecked addresses.
 */
export function createSafeFetch(needs: SafeFetchOptions): SafeFetch {
  const { clock, policy = publicOnly, resolve = systemResolve } = needs
  const politeness = createHostQueue(clock)
  return async (address, request = {}) => {
    const limits = { ...usualLimits, ...needs.limits, ...request.limits }
    try {
      return await followRedirects({ clock, policy, resolve, politeness }, address, request, limits)
    } catch (error) {
      if (error instanceof FetchFailure) return error.outcome
      return { ok: false, why: "broken", message: messageOf(error) }
    }
  }
}

/** Resolves host names with the system's resolver. */
export const systemResolve: Resolve = (host) => lookup(host, { all: true, verbatim: true })

interface FetchParts {
  clock: Clock
  policy: AddressPolicy
  resolve: Resolve
  politeness: HostQueue
}

async function followRedirects(
  needs: FetchParts,
  address: string,
  request: SafeRequest,
  limits: RequestLimits,
): Promise<Fetched> {
  const first = requireUrl(address)
  let url = first
  let leftMs = limits.totalMs
  for (let followed = 0; ; followed += 1) {
    const began = { at: 0 }
    const policy = followed === 0 && isListedHost(url, request.privateHosts) ? neverAllowed : needs.policy
    const step = await fetchOnce({ ...needs, policy }, { url, first, request, limits, leftMs, began })
    leftMs -= Math.max(0, needs.clock.now() - began.at)
    if ("ok" in step) return step
    if (followed >= limits.mostRedirects) throw new FetchFailure("redirect", "it redirects again and again")
    if (request.method === "POST") throw new FetchFailure("redirect", "it redirects what was sent elsewhere")
    url = nextUrl(url, step.location)
    if (leftMs <= 0) throw new FetchFailure("timeout", "its redirects took too long")
  }
}

interface Hop {
  url: URL
  first: URL
  request: SafeRequest
  limits: RequestLimits
  leftMs: number
  began: { at: number }
}

/** One request when its turn at the host comes: the response, or the location of a redirect. */
async function fetchOnce(needs: FetchParts, hop: Hop): Promise<Fetched | { location: string }> {
  const signal = hop.request.signal ?? new AbortController().signal
  const turn = await needs.politeness.enter(hop.url.host, hop.limits.gapMs, signal)
  hop.began.at = needs.clock.now()
  let rested: { retryAt: number } | undefined
  try {
    return await send(needs, hop, signal, (retryAfter) => {
      rested = turn.end({ retryAfter })
    })
  } catch (error) {
    if (rested !== undefined && error instanceof FetchFailure)
      throw new FetchFailure("busy", error.message, { ...error.outcome, ...rested })
    throw error
  } finally {
    if (rested === undefined) turn.end()
  }
}

async function send(
  needs: FetchParts,
  { url, first, request, limits, leftMs }: Hop,
  signal: AbortSignal,
  onBusy: (retryAfter: string | undefined) => void,
): Promise<Fetched | { location: string }> {
  const secrets = url.origin === first.origin ? request.secretHeaders : {}
  const answer = await sendRequest(needs, {
    ...{ url, policy: needs.policy, limits, leftMs, signal },
    method: request.method ?? "GET",
    headers: { ...ownHeaders, ...request.headers, ...secrets },
    body: request.body,
  })
  try {
    const { status, headers } = headOf(answer)
    if (status === 429 || status === 503) onBusy(headers.get("retry-after"))
    return await readResponse(answer, url, limits)
  } finally {
    answer.close()
  }
}

const ownHeaders = {
  "user-agent": userAgent,
  accept: "*/*",
  "accept-encoding": "gzip, deflate, br",
}

async function readResponse(
  answer: OpenResponse,
  url: URL,
  limits: RequestLimits,
): Promise<Fetched | { location: string }> {
  const { status, headers } = headOf(answer)
  const location = headers.get("location")
  if ([301, 302, 303, 307, 308].includes(status) && location !== undefined) return { location }
  if (status === 304) return { ok: true, status, url: url.href, headers, body: new Uint8Array() }
  if (status < 200 || status >= 300)
    throw new FetchFailure("status", `the server answered ${status}`, { status })
  const length = Number(headers.get("content-length") ?? 0)
  if (length > limits.mostBytes) throw new FetchFailure("too-much", "the answer is too large")
  try {
    const body = await unpack(answer.message, headers.get("content-encoding"), limits)
    return { ok: true, status, url: url.href, headers, body }
  } catch (error) {
    const cause = answer.failure() ?? error
    if (cause instanceof FetchFailure) throw cause
    throw new FetchFailure("broken", `the answer broke off (${messageOf(error)})`)
  }
}

function headOf({ message }: OpenResponse): { status: number; headers: ReadonlyMap<string, string> } {
  return { status: message.statusCode ?? 0, headers: plainHeaders(message.headers) }
}

function plainHeaders(headers: IncomingHttpHeaders): ReadonlyMap<string, string> {
  const plain = new Map<string, string>()
  for (const [name, value] of Object.entries(headers)) {
    const text = Array.isArray(value) ? value[0] : value
    if (text !== undefined) plain.set(name, text)
  }
  return plain
}

const longestAddress = 4096

function requireUrl(address: string): URL {
  const url = address.length > longestAddress ? null : URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === "")
    throw new FetchFailure("address", "it is not an http or https address")
  if (url.username !== "" || url.password !== "")
    throw new FetchFailure("address", "it has a name or password in it")
  const port = url.port === "" ? 80 : Number(url.port)
  // Lower ports mostly serve other protocols, and some of them would obey parts of an HTTP request.
  if (port < 1024 && port !== 80 && port !== 443)
    throw new FetchFailure("address", `port ${port} is for no web server`)
  url.hash = ""
  url.hostname = url.hostname.replace(/\.$/, "")
  return url
}

function nextUrl(from: URL, location: string): URL {
  const to = location.length > longestAddress ? null : URL.parse(location, from.href)
  if (to === null) throw new FetchFailure("redirect", "it redirects to an invalid address")
  if (from.protocol === "https:" && to.protocol === "http:")
    throw new FetchFailure("redirect", "it redirects from https to http")
  return requireUrl(to.href)
}

function isListedHost(url: URL, hosts: readonly string[] = []): boolean {
  const names = [url.hostname, url.host].map((name) => name.toLowerCase())
  return hosts.some((host) => names.includes(host.toLowerCase()))
}
