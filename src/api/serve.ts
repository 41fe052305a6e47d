import { chmodSync, rmSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { dirname } from "node:path"
import { getRequestListener } from "@hono/node-server"
import type { Hono } from "hono"
import { type Clock, sleep } from "../base/clock.ts"
import { codeOf, messageOf, UserError } from "../base/errors.ts"
import { makePrivateFolder, requireOwnFolder } from "../base/files/files.ts"
import type { Log } from "../base/log.ts"
import { guardApp } from "./access.ts"
import { probeSocket } from "./socket-fetch.ts"
import type { WebNeeds } from "./web/routes.ts"

/** A server that listens. */
export interface Listener {
  /** Where it listens, for people and clients. */
  address: string
  /** Takes no new requests, waits a moment for those under way, then cuts the rest off. */
  close(): Promise<void>
}

/** How long requests under way get to finish when the daemon stops. */
const patienceMs = 3000

/** A long import sends its body for as long as it takes; a long question in any script stands in the first line. */
const limits = { requestTimeout: 0, maxHeaderSize: 262_144 }

/** Refuses to go on if somebody answers on the socket already. */
export async function refuseBusySocket(socket: string): Promise<void> {
  if ((await probeSocket(socket)) === "nobody") return
  const advice = "use it, stop it with `reverie stop`, or set REVERIE_HOME to another folder."
  throw new UserError("conflict", `A daemon already answers on ${socket}; ${advice}`)
}

/** Serves on a Unix socket that only its owner can use, replacing one that a dead daemon left behind. */
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

interface LoopbackNeeds {
  app: Hono
  port: number
  token: string
  /** Where the person reaches the page of a link from outside. */
  linkBase?: string
  /** The dashboard, where it is served. */
  web?: WebNeeds
  log: Log
  clock: Clock
}

/** Serves on loopback TCP behind the token; a port that is taken is replaced by a free one. */
export async function serveLoopback(needs: LoopbackNeeds): Promise<Listener> {
  const { token, log, linkBase, web } = needs
  // Kept: while it closes, a server no longer says where it listened, but still answers on open connections.
  let port = 0
  const guarded = guardApp(needs.app, { token, log, linkBase, web, port: () => port })
  const server = createServer(limits, getRequestListener(guarded.fetch))
  try {
    await listen(server, { host: "127.0.0.1", port: needs.port })
  } catch (error) {
    if (codeOf(error) !== "EADDRINUSE" && codeOf(error) !== "EACCES") throw error
    needs.log.warn("The port cannot be had; taking a free one", {
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
  const impatient = sleep(clock, patienceMs, finished.signal).then(() => server.closeAllConnections())
  await closed
  finished.abort()
  await impatient
}
