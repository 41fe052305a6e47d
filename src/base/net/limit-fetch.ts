import { problemWithAddress } from "./web-address.ts"

/** Limits for one kind of request. */
export interface FetchLimits {
  /** The maximum size of a response, decompressed. */
  mostBytes: number
  /**
   * Where a redirect may lead: `same-origin` for requests with a key, a prompt or a memory, `nowhere` for a sign-in,
   * `anywhere` only for requests without user data whose response is verified by its hash.
   */
  redirects: "nowhere" | "same-origin" | "anywhere"
}

/** A response that was refused; the message is for the user. */
export class RefusedResponse extends Error {
  readonly why: "redirect" | "too-much" | "address"
  constructor(why: RefusedResponse["why"], message: string) {
    super(message)
    this.name = "RefusedAnswer"
    this.why = why
  }
}

/** The RefusedResponse in a chain of causes. */
export function refusedResponseIn(error: unknown): RefusedResponse | undefined {
  let found = error
  while (found instanceof Error && !(found instanceof RefusedResponse)) found = found.cause
  return found instanceof RefusedResponse ? found : undefined
}

/** At most this many redirects are followed. */
const mostRedirects = 5

/** Wraps fetch for every request that leaves this machine: limits redirects and the size of responses. */
export function limitFetch(fetch: typeof globalThis.fetch, limits: FetchLimits): typeof globalThis.fetch {
  return async (input, init = {}) => {
    if (input instanceof Request) throw new TypeError("limitFetch takes addresses")
    let url = requireAddress(input)
    let sent: RequestInit = { ...init, redirect: "manual" }
    for (let followed = 0; ; followed += 1) {
      const response = await fetch(url, sent)
      const location = locationOf(response)
      if (location === undefined) return limitBody(response, limits.mostBytes, url)
      await response.body?.cancel()
      if (followed === mostRedirects) throw new RefusedResponse("redirect", "it redirects again and again")
      const next = nextAddress(url, location, limits)
      sent = redirectedRequest(sent, response.status, next.origin === url.origin)
      url = next
    }
  }
}

function requireAddress(address: string | URL): URL {
  const problem = problemWithAddress(address)
  if (problem !== undefined) throw new RefusedResponse("address", `its address ${problem}`)
  return new URL(address)
}

function locationOf({ status, headers }: Response): string | undefined {
  if (![301, 302, 303, 307, 308].includes(status)) return undefined
  return headers.get("location") ?? undefined
}

function nextAddress(from: URL, location: string, { redirects }: FetchLimits): URL {
  const to = URL.parse(location, from.href)
  if (to === null) throw new RefusedResponse("redirect", "it redirects to an invalid address")
  // The path and the query may contain data for the first server only.
  if (redirects === "nowhere" || (redirects === "same-origin" && to.origin !== from.origin)) {
    const where = to.origin === "null" ? "something else" : to.origin
    throw new RefusedResponse("redirect", `it redirects to ${where}, where your keys and texts are not sent`)
  }
  if (from.protocol === "https:" && to.protocol === "http:")
    throw new RefusedResponse("redirect", "it redirects from https to http")
  return requireAddress(to)
}

/** As in browsers: a POST becomes a GET unless the status (307, 308) preserves it. Headers stay on the same origin. */
function redirectedRequest(sent: RequestInit, status: number, isSameOrigin: boolean): RequestInit {
  const method = sent.method?.toUpperCase() ?? "GET"
  const isFetched = (status === 303 && method !== "HEAD") || (status < 303 && method === "POST")
  const { body, headers, ...rest } = sent
  const kept = isSameOrigin ? { headers: headers ?? {} } : {}
  return isFetched ? { ...rest, ...kept, method: "GET" } : { ...rest, ...kept, body: body ?? null }
}

/** The response with a body that fails once it exceeds the limit. */
function limitBody(response: Response, mostBytes: number, { origin }: URL): Response {
  if (response.body === null) return response
  let received = 0
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(part, controller) {
      received += part.byteLength
      if (received <= mostBytes) return controller.enqueue(part)
      const most = `${Math.round(mostBytes / 1024 / 1024)} MB`
      return controller.error(new RefusedResponse("too-much", `${origin} sent more than ${most}`))
    },
  })
  const { status, statusText, headers } = response
  return new Response(response.body.pipeThrough(counted), { status, statusText, headers })
}
