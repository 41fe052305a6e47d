import { type IncomingMessage, type RequestOptions, request } from "node:http"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { FetchInit } from "./fetch.ts"

/** Sends a request over a Unix socket whose body or answer is a stream. */
export async function askStreaming(
  needs: { socket: string; patienceMs: number; tooSlow: () => Error },
  url: string,
  init: FetchInit,
): Promise<Response> {
  const sent = new Request(url, init)
  const isStream = init.body instanceof ReadableStream
  // A short body is sent together with its headers, so that an early answer cannot cut it off.
  const body = isStream ? undefined : Buffer.from(await sent.arrayBuffer())
  return new Promise((resolve, reject) => {
    const outgoing = request(optionsFor(needs.socket, sent, init.signal), (incoming) => {
      // No timeout from here: a live stream may be silent for hours.
      incoming.socket.setTimeout(0)
      resolve(responseOf(incoming))
    })
    outgoing.setTimeout(needs.patienceMs, () => outgoing.destroy(needs.tooSlow()))
    outgoing.on("error", reject)
    if (body !== undefined) outgoing.end(body)
    else pipeline(Readable.fromWeb(sent.body as never), outgoing).catch(reject)
  })
}

function optionsFor(socket: string, sent: Request, signal: AbortSignal | null | undefined): RequestOptions {
  const { pathname, search } = new URL(sent.url)
  return {
    socketPath: socket,
    // A new connection is cheap on a socket, and leaves none open for a stopping daemon to wait for.
    agent: false,
    method: sent.method,
    path: pathname + search,
    headers: { ...Object.fromEntries(sent.headers), host: "localhost" },
    ...(signal ? { signal } : {}),
  }
}

function responseOf(incoming: IncomingMessage): Response {
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value))
  const body = Readable.toWeb(incoming) as ReadableStream<Uint8Array>
  return new Response(body, { status: incoming.statusCode ?? 500, headers })
}
