import { type IncomingMessage, type RequestOptions, request } from "node:http"
import { connect } from "node:net"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { UserError } from "../base/errors.ts"
import { isOwnSocket } from "../base/files/own-socket.ts"

/** How long the daemon may take to begin an answer. */
const usualPatienceMs = 60_000
const tooSlow = "The daemon does not answer; restart it with `reverie stop --force` and `reverie start`."

/** A fetch that goes to a Unix socket, whatever host the URL names. */
export function socketFetch(socket: string, patienceMs = usualPatienceMs): typeof fetch {
  return async (input, init) => {
    const sent = new Request(input, init)
    const isStream = init?.body instanceof ReadableStream
    // A short body goes in one piece with its head: an early answer cannot cut it off in the middle.
    const body = isStream ? undefined : Buffer.from(await sent.arrayBuffer())
    return new Promise((resolve, reject) => {
      const outgoing = request(optionsFor(socket, sent, init?.signal), (incoming) => {
        // From here on silence is normal: a live stream may have nothing to say for hours.
        incoming.socket.setTimeout(0)
        resolve(responseOf(incoming))
      })
      outgoing.setTimeout(patienceMs, () => outgoing.destroy(new UserError("failed", tooSlow)))
      outgoing.on("error", reject)
      if (body !== undefined) outgoing.end(body)
      else pipeline(Readable.fromWeb(sent.body as never), outgoing).catch(reject)
    })
  }
}

function optionsFor(socket: string, sent: Request, signal: AbortSignal | null | undefined): RequestOptions {
  const { pathname, search } = new URL(sent.url)
  return {
    socketPath: socket,
    // A connection of its own: cheap on a socket, and none is left open for a stopping daemon to wait for.
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

/** Whether our daemon listens on the socket: "nobody" also for a socket that a dead one left behind. */
export function probeSocket(socket: string): Promise<"listening" | "nobody"> {
  return new Promise((resolve, reject) => {
    const connection = connect(socket)
    connection.once("connect", () => {
      connection.destroy()
      if (isOwnSocket(socket)) resolve("listening")
      else reject(notOurs(socket))
    })
    connection.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EACCES" || error.code === "EPERM") reject(notOurs(socket, error))
      else resolve("nobody")
    })
  })
}

function notOurs(socket: string, cause?: unknown): UserError {
  const advice = "it or its folder belongs to another user; set REVERIE_HOME to a folder of your own."
  return new UserError("failed", `The socket ${socket} cannot be used: ${advice}`, { cause })
}
