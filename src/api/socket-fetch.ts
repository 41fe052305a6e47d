import { connect } from "node:net"
import { codeOf, UserError } from "../base/errors.ts"
import { isOwnSocket } from "../base/files/own-socket.ts"
import { requestOverSocket, type SocketResponse } from "../base/net/socket-request.ts"
import type { Fetch, FetchResponse } from "./fetch.ts"

/** How long the daemon may take to begin its answer. */
const defaultTimeoutMs = 60_000
const tooSlow = () =>
  new UserError(
    "failed",
    "The daemon does not answer; restart it with `reverie stop --force` and `reverie start`.",
  )

/** A fetch that goes to a Unix socket, whatever host the URL names. */
export function socketFetch(socket: string, patienceMs = defaultTimeoutMs): Fetch {
  return async (url, init = {}) => {
    const { method = "GET", headers, body, streams = false } = init
    if (streams) {
      const { askStreaming } = await import("./socket-stream.ts")
      return askStreaming({ socket, patienceMs, tooSlow }, url, init)
    }
    const { pathname, search } = new URL(url)
    const answer = await requestOverSocket({
      socket,
      method,
      path: pathname + search,
      headers: headers as Record<string, string>,
      body: typeof body === "string" ? Buffer.from(body) : undefined,
      timeoutMs: patienceMs,
      timeoutError: tooSlow,
    })
    return answered(answer)
  }
}

function answered({ status, headers, body }: SocketResponse): FetchResponse {
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: { get: (name) => headers[name] ?? null },
    json: async () => JSON.parse(body.toString()),
    body: null,
  }
}

/** Whether a daemon listens on the socket; false for a socket that a dead daemon left behind. */
export function isDaemonUp(socket: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const connection = connect(socket)
    connection.once("connect", () => {
      connection.destroy()
      if (isOwnSocket(socket)) resolve(true)
      else reject(notOurs(socket))
    })
    connection.once("error", (error: NodeJS.ErrnoException) => {
      if (isForbidden(error)) reject(notOurs(socket, error))
      else resolve(false)
    })
  })
}

/** Whether the socket exists and is ours, even if its daemon is dead. Throws if it belongs to another user. */
export function hasOwnSocket(socket: string): boolean {
  try {
    if (isOwnSocket(socket)) return true
  } catch (error) {
    if (isForbidden(error)) throw notOurs(socket, error)
    return false
  }
  throw notOurs(socket)
}

function isForbidden(error: unknown): boolean {
  return ["EACCES", "EPERM"].includes(codeOf(error))
}

function notOurs(socket: string, cause?: unknown): UserError {
  const advice = "it or its folder belongs to another user; set REVERIE_HOME to a folder of your own."
  return new UserError("failed", `The socket ${socket} cannot be used: ${advice}`, { cause })
}
