import { type ClientRequest, type IncomingMessage, request as requestPlain } from "node:http"
import { request as requestSecure } from "node:https"
import { isIP, type LookupFunction, type Socket } from "node:net"
import type { Clock } from "../../clock.ts"
import { codeOf, messageOf } from "../../errors.ts"
import { spanText } from "../../text/text.ts"
import { FetchFailure } from "./outcome.ts"
import type { AddressPolicy } from "./public-address.ts"

/** The maximum duration of each phase. */
export interface TimeLimits {
  connectMs: number
  firstByteMs: number
  /** Everything including redirects, except waiting in the queue. */
  totalMs: number
}

/** Resolves a host name. Tests pass one that changes its answer. */
export type Resolve = (host: string) => Promise<readonly { address: string; family: number }[]>

export interface OutgoingRequest {
  url: URL
  method: "GET" | "POST"
  headers: Readonly<Record<string, string>>
  body?: string | undefined
  policy: AddressPolicy
  limits: Pick<TimeLimits, "connectMs" | "firstByteMs">
  /** The remaining time in total. */
  leftMs: number
  signal: AbortSignal
}

/** A response whose body was not read yet. The caller must call `close`, also after a failure. */
export interface OpenResponse {
  message: IncomingMessage
  /** Why we ended it, if we did; the error from reading the body is less specific. */
  failure(): FetchFailure | undefined
  close(): void
}

const headerBytes = 16 * 1024

/** Sends one request and waits for the head of the response. It checks the address that it connects to. */
export function sendRequest(
  needs: { clock: Clock; resolve: Resolve },
  wanted: OutgoingRequest,
): Promise<OpenResponse> {
  const { url, method, headers, body, policy, limits, leftMs, signal } = wanted
  return new Promise((resolve, reject) => {
    let failed: FetchFailure | undefined
    let request: ClientRequest | undefined
    const fail = (error: FetchFailure) => {
      failed ??= error
      close()
      reject(failed)
    }
    const late = (what: string, ms: number) => () =>
      fail(new FetchFailure("timeout", `${what} within ${spanText(ms)}`))
    const stop = () => fail(new FetchFailure("stopped", "it was stopped"))
    const timer = phases(needs.clock)
    const endTotal = needs.clock.after(leftMs, late("it did not end", leftMs))
    const close = () => {
      endTotal()
      timer.end()
      signal.removeEventListener("abort", stop)
      request?.destroy()
    }
    if (signal.aborted) return stop()
    signal.addEventListener("abort", stop, { once: true })
    const literal = literalOf(url)
    const refusal = literal === undefined ? undefined : policy.problem(literal)
    if (refusal !== undefined) return fail(new FetchFailure("address", `it ${refusal}`))

    timer.begin(limits.connectMs, late("no connection came about", limits.connectMs))
    const send = url.protocol === "https:" ? requestSecure : requestPlain
    request = send(url, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }) },
      // No connection is reused, because its address was checked for another request.
      agent: false,
      lookup: checkedLookup(needs.resolve, policy),
      maxHeaderSize: headerBytes,
    })
    request.on("socket", (socket) => {
      whenConnected(socket, url, (address) => {
        const problem = policy.problem(address)
        if (problem !== undefined) return fail(new FetchFailure("address", `it ${problem}`))
        timer.begin(limits.firstByteMs, late("no answer came", limits.firstByteMs))
      })
    })
    request.on("response", (message) => {
      timer.end()
      message.on("error", () => {})
      resolve({ message, failure: () => failed, close })
    })
    request.on("error", (error) => fail(failureOf(error)))
    // We request no upgrade, so a server that upgrades is refused.
    request.on("upgrade", (_message, socket) => {
      socket.destroy()
      fail(new FetchFailure("broken", "the server wants another protocol"))
    })
    request.end(body)
  })
}

function literalOf(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, "")
  return isIP(host) === 0 ? undefined : host
}

/** Resolves a name and refuses it if any of its addresses is not allowed. */
export function checkedLookup(resolve: Resolve, policy: AddressPolicy): LookupFunction {
  return (host, options, done) => {
    const give = async () => {
      const found = await resolve(host)
      for (const { address } of found) {
        const problem = policy.problem(address)
        if (problem !== undefined) throw new FetchFailure("address", `it ${problem}`)
      }
      const [first] = found
      if (first === undefined) throw new FetchFailure("unreachable", "its host is not known")
      return { first, all: [...found] }
    }
    give().then(
      ({ first, all }) => (options.all ? done(null, all) : done(null, first.address, first.family)),
      (error) => done(error, ""),
    )
  }
}

/** Calls back with the remote address before anything is sent, and with TLS also after the handshake. */
function whenConnected(socket: Socket, { protocol }: URL, then: (address: string) => void): void {
  const now = () => then(socket.remoteAddress ?? "")
  if (!socket.connecting) now()
  else socket.once("connect", now)
  if (protocol === "https:") socket.once("secureConnect", now)
}

function failureOf(error: Error): FetchFailure {
  if (error instanceof FetchFailure) return error
  const code = codeOf(error)
  if (/^HPE_/.test(code)) {
    const what = code === "HPE_HEADER_OVERFLOW" ? "its head is too large" : "it is no HTTP"
    return new FetchFailure("broken", `the answer cannot be read (${what})`)
  }
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return failureOf(error.errors[0])
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return new FetchFailure("unreachable", "its host is not known")
  return new FetchFailure("unreachable", `the connection failed (${code || messageOf(error)})`)
}

/** A timer for one phase at a time. */
function phases(clock: Clock): { begin(ms: number, late: () => void): void; end(): void } {
  let end = () => {}
  return {
    begin(ms, late) {
      end()
      end = clock.after(ms, late)
    },
    end: () => end(),
  }
}
