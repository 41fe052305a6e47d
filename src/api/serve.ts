import { chmodSync, rmSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { dirname } from "node:path"
import { getRequestListener } from "@hono/node-server"
import type { Hono } from "hono"
import { type Clock, sleep } from "../base/clock.ts"
import { codeOf, messageOf, UserError } from "../base/errors.ts"
import { makePrivateFolder, requireOwnFolder } from "../base/files/files.ts"
import { guardApp, type LoopbackAccess } from "./access.ts"
import { isDaemonUp } from "./socket-fetch.ts"

/** A server that listens. */
export interface Listener {
  /** The socket or URL it listens on. */
  address: string
  /** Accepts no new requests, waits a moment for running ones, then closes their connections. */
  close(): Promise<void>
}

/** How long running requests may take when the daemon stops. */
const closeTimeoutMs = 3000

/** An import may send its body for hours; a long search query is part of the first line. */
const limits = { requestTimeout: 0, maxHeaderSize: 262_144 }

/** Throws if a daemon already answers on the socket. */
export async function refuseBusySocket(socket: string): Promise<void> {
  if (!(await isDaemonUp(socket))) return
  const advice = "use it, stop it with `reverie stop`, or set REVERIE_HOME to another folder."
  throw new UserError("conflict", `A daemon already answers on ${socket}; ${advice}`)
}

/** Serves on a Unix socket that only its owner can use. Replaces a socket that a dead daemon left behind. */
export async function serveSocket(needs: { app: Hono; socket: string; clock: Clock }): Promise<Listener> {
  const { app, socket, clock } = needs
  makePrivateFolder(dirname(socket))
  requireOwnFolder(dirname(socket))
  await refuseBusySocket(socket)
  rmSync(socket, { force: true })
  const server = createServer(limits, getRequestListener(app.fetch))
  const mask = process.umask(0o177)
  try {
    await listen(server, { path: socket })
  } catch (error) {
    throw new UserError("failed", `The socket ${socket} cannot be made: ${messageOf(error)}.`, {
      cause: error,
    })
  } finally {
    process.umask(mask)
  }
  chmodSync(socket, 0o600)
  return { address: socket, close: () => closeServer(server, clock) }
}

/** Serves on loopback TCP behind the token. If the port is taken, it uses a free one. */
export async function serveLoopback(
  needs: LoopbackAccess & { app: Hono; port: number; clock: Clock },
): Promise<Listener> {
  // A closing server no longer knows its port, but still answers on open connections.
  let port = 0
  const guarded = guardApp(needs.app, { ...needs, port: () => port })
  const server = createServer(limits, getRequestListener(guarded.fetch))
  try {
    await listen(server, { host: "127.0.0.1", port: needs.port })
  } catch (error) {
    if (codeOf(error) !== "EADDRINUSE" && codeOf(error) !== "EACCES") throw error
    needs.log.warn("The port is not available; using a free one", {
      port: needs.port,
      reason: messageOf(error),
    })
    await listen(server, { host: "127.0.0.1", port: 0 })
  }
  port = portOf(server)
  return { address: `http://127.0.0.1:${port}`, close: () => closeServer(server, needs.clock) }
}

function listen(server: Server, where: { path: string } | { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(where, () => {
      server.off("error", reject)
      resolve()
    })
  })
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

async function closeServer(server: Server, clock: Clock): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const finished = new AbortController()
  const timeout = sleep(clock, closeTimeoutMs, finished.signal).then(() => server.closeAllConnections())
  await closed
  finished.abort()
  await timeout
}
