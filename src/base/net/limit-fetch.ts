import { problemWithAddress } from "./web-address.ts"

/** What one kind of request may do. */
export interface FetchLimits {
  /** How many bytes an answer may have, unpacked. */
  mostBytes: number
  /**
   * Where a redirect may lead. `same-origin` for whatever carries a key, a prompt or a memory, `nowhere` for a sign-in;
   * `anywhere` only where nothing of the user's is sent and what comes is checked by its hash.
   */
  redirects: "nowhere" | "same-origin" | "anywhere"
}

/** An answer that is not taken, in words for the user. */
export class RefusedAnswer extends Error {
  readonly why: "redirect" | "too-much" | "address"
  constructor(why: RefusedAnswer["why"], message: string) {
    super(message)
    this.name = "RefusedAnswer"
    this.why = why
  }
}

/** The refusal that something thrown is, or was caused by. */
export function refusedAnswerIn(error: unknown): RefusedAnswer | undefined {
  let found = error
  while (found instanceof Error && !(found instanceof RefusedAnswer)) found = found.cause
  return found instanceof RefusedAnswer ? found : undefined
}

/** A chain of redirects longer than this goes in circles. */
const mostRedirects = 5

/** Every request that leaves this machine goes through here: no key follows a redirect, no answer fills the memory. */
export function limitFetch(fetch: typeof globalThis.fetch, limits: FetchLimits): typeof globalThis.fetch {
  return async (input, init = {}) => {
    if (input instanceof Request) throw new TypeError("limitFetch takes addresses")
    let url = requireAddress(input)
    let sent: RequestInit = { ...init, redirect: "manual" }
    for (let followed = 0; ; followed += 1) {
      const response = await fetch(url, sent)
      const location = locationOf(response)
      if (location === undefined) return withinBytes(response, limits.mostBytes, url)
      await response.body?.cancel()
      if (followed === mostRedirects) throw new RefusedAnswer("redirect", "it redirects again and again")
      const next = nextAddress(url, location, limits)
      sent = sentAgain(sent, response.status, next.origin === url.origin)
      url = next
    }
  }
}

function requireAddress(address: string | URL): URL {
  const problem = problemWithAddress(address)
  if (problem !== undefined) throw new RefusedAnswer("address", `its address ${problem}`)
  return new URL(address)
}

function locationOf({ status, headers }: Response): string | undefined {
  if (![301, 302, 303, 307, 308].includes(status)) return undefined
  return headers.get("location") ?? undefined
}

function nextAddress(from: URL, location: string, { redirects }: FetchLimits): URL {
  const to = URL.parse(location, from.href)
  if (to === null) throw new RefusedAnswer("redirect", "it redirects to something that is no address")
  // The query and the path may carry what was meant for one server only.
  if (redirects === "nowhere" || (redirects === "same-origin" && to.origin !== from.origin)) {
    const where = to.origin === "null" ? "something else" : to.origin
    throw new RefusedAnswer("redirect", `it redirects to ${where}, and no key or text of yours follows there`)
  }
  if (from.protocol === "https:" && to.protocol === "http:")
    throw new RefusedAnswer("redirect", "it redirects from https to http")
  return requireAddress(to)
}

/** As browsers do: what was posted is fetched at the new address, unless the status says to post it again. */
function sentAgain(sent: RequestInit, status: number, isSameOrigin: boolean): RequestInit {
  const method = sent.method?.toUpperCase() ?? "GET"
  const isFetched = (status === 303 && method !== "HEAD") || (status < 303 && method === "POST")
  const { body, headers, ...rest } = sent
  const kept = isSameOrigin ? { headers: headers ?? {} } : {}
  return isFetched ? { ...rest, ...kept, method: "GET" } : { ...rest, ...kept, body: body ?? null }
}

/** The answer with a body that fails when more comes than may. */
function withinBytes(response: Response, mostBytes: number, { origin }: URL): Response {
  if (response.body === null) return response
  let received = 0
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(part, controller) {
      received += part.byteLength
      if (received <= mostBytes) return controller.enqueue(part)
      const most = `${Math.round(mostBytes / 1024 / 1024)} MB`
      return controller.error(new RefusedAnswer("too-much", `${origin} sent more than ${most}`))
    },
  })
  const { status, statusText, headers } = response
  return new Response(response.body.pipeThrough(counted), { status, statusText, headers })
}
