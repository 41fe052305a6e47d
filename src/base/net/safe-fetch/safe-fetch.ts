import { lookup } from "node:dns/promises"
import type { IncomingHttpHeaders } from "node:http"
import type { Clock } from "../../clock.ts"
import { messageOf } from "../../errors.ts"
import { version } from "../../version.ts"
import { exchange, type OpenAnswer, type Resolve, type TimeLimits } from "./exchange.ts"
import { type Fetched, FetchFailure, type FetchOutcome } from "./outcome.ts"
import { createPoliteness, type Politeness } from "./politeness.ts"
import { type AddressPolicy, neverAllowed, publicOnly } from "./public-address.ts"
import { type SizeLimits, unpack } from "./unpack.ts"

/** What one request may take. */
interface RequestLimits extends SizeLimits, TimeLimits {
  mostRedirects: number
  /** The pause after the request before to the same host. */
  gapMs: number
}

export interface SafeRequest {
  method?: "GET" | "POST"
  headers?: Readonly<Record<string, string>>
  /** Headers that hold a key: they go to the first origin only. */
  secretHeaders?: Readonly<Record<string, string>>
  body?: string
  limits?: Partial<RequestLimits>
  /** Hosts (HOST or HOST:PORT) of the person's own network that this request may begin at. A redirect leads to none of them. */
  privateHosts?: readonly string[]
  signal?: AbortSignal
}

/** Fetches something that others offer. It never throws. */
export type SafeFetch = (address: string, request?: SafeRequest) => Promise<FetchOutcome>

interface SafeFetchNeeds {
  clock: Clock
  /** Which addresses may be connected to; without it only public ones. */
  policy?: AddressPolicy
  resolve?: Resolve
  limits?: Partial<RequestLimits>
}

/** The name we go by: in every request, and where robots.txt speaks of us. */
export const robotName = "reverie"
const userAgent = `${robotName}/${version} (a personal reader of feeds and pages)`

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
 * Makes the one function that everything chat fetches goes through. It connects to public addresses only, whatever a
 * name or a redirect says, and takes bounded time, memory and redirects. No proxy of the environment is used: a proxy
 * would look names up again, and connect to what was never checked.
 */
export function createSafeFetch(needs: SafeFetchNeeds): SafeFetch {
  const { clock, policy = publicOnly, resolve = systemResolve } = needs
  const politeness = createPoliteness(clock)
  return async (address, request = {}) => {
    const limits = { ...usualLimits, ...needs.limits, ...request.limits }
    try {
      return await follow({ clock, policy, resolve, politeness }, address, request, limits)
    } catch (error) {
      if (error instanceof FetchFailure) return error.outcome
      return { ok: false, why: "broken", message: messageOf(error) }
    }
  }
}

/** Finds addresses as the machine does. */
export const systemResolve: Resolve = (host) => lookup(host, { all: true, verbatim: true })

interface Needs {
  clock: Clock
  policy: AddressPolicy
  resolve: Resolve
  politeness: Politeness
}

async function follow(
  needs: Needs,
  address: string,
  request: SafeRequest,
  limits: RequestLimits,
): Promise<Fetched> {
  const first = requireUrl(address)
  let url = first
  let leftMs = limits.totalMs
  for (let followed = 0; ; followed += 1) {
    const began = { at: 0 }
    const policy = followed === 0 && isNamed(url, request.privateHosts) ? neverAllowed : needs.policy
    const step = await once({ ...needs, policy }, { url, first, request, limits, leftMs, began })
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

/** One request to one host in its turn: what came, or where it redirects to. */
async function once(needs: Needs, hop: Hop): Promise<Fetched | { location: string }> {
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
  needs: Needs,
  { url, first, request, limits, leftMs }: Hop,
  signal: AbortSignal,
  onBusy: (retryAfter: string | undefined) => void,
): Promise<Fetched | { location: string }> {
  const secrets = url.origin === first.origin ? request.secretHeaders : {}
  const answer = await exchange(needs, {
    ...{ url, policy: needs.policy, limits, leftMs, signal },
    method: request.method ?? "GET",
    headers: { ...ownHeaders, ...request.headers, ...secrets },
    body: request.body,
  })
  try {
    const { status, headers } = headOf(answer)
    if (status === 429 || status === 503) onBusy(headers.get("retry-after"))
    return await taken(answer, url, limits)
  } finally {
    answer.close()
  }
}

const ownHeaders = {
  "user-agent": userAgent,
  accept: "*/*",
  "accept-encoding": "gzip, deflate, br",
}

async function taken(
  answer: OpenAnswer,
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

function headOf({ message }: OpenAnswer): { status: number; headers: ReadonlyMap<string, string> } {
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

/** Longer addresses are made to fill something. */
const longestAddress = 4096

function requireUrl(address: string): URL {
  const url = address.length > longestAddress ? null : URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === "")
    throw new FetchFailure("address", "it is no http or https address")
  if (url.username !== "" || url.password !== "")
    throw new FetchFailure("address", "it has a name or password in it")
  const port = url.port === "" ? 80 : Number(url.port)
  // Below 1024 speak other protocols than HTTP, mostly, and some of them obey what looks like a request.
  if (port < 1024 && port !== 80 && port !== 443)
    throw new FetchFailure("address", `port ${port} is for no web server`)
  url.hash = ""
  url.hostname = url.hostname.replace(/\.$/, "")
  return url
}

function nextUrl(from: URL, location: string): URL {
  const to = location.length > longestAddress ? null : URL.parse(location, from.href)
  if (to === null) throw new FetchFailure("redirect", "it redirects to something that is no address")
  if (from.protocol === "https:" && to.protocol === "http:")
    throw new FetchFailure("redirect", "it redirects from https to http")
  return requireUrl(to.href)
}

function isNamed(url: URL, hosts: readonly string[] = []): boolean {
  const names = [url.hostname, url.host].map((name) => name.toLowerCase())
  return hosts.some((host) => names.includes(host.toLowerCase()))
}
