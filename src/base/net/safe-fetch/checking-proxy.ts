import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import { type AddressInfo, connect, isIP, type Socket } from "node:net"
import type { Duplex } from "node:stream"
import { checkedLookup, type Resolve } from "./exchange.ts"
import type { AddressPolicy } from "./public-address.ts"

/** A proxy on a loopback port that connects to public addresses only, for programs that fetch by themselves. */
export interface CheckingProxy {
  port: number
  close(): Promise<void>
}

/** Opens one. Names are looked up here, and the very address that is connected to is checked. */
export async function openCheckingProxy({
  policy,
  resolve,
  mostBytes,
}: {
  policy: AddressPolicy
  resolve: Resolve
  /** So many bytes may come in all; then everything is cut. */
  mostBytes: number
}): Promise<CheckingProxy> {
  const open = new Set<Duplex>()
  let left = mostBytes
  const close = () => {
    for (const socket of open) socket.destroy()
  }
  const keep = (socket: Duplex) => {
    open.add(socket)
    socket.on("error", () => socket.destroy())
    socket.once("close", () => open.delete(socket))
  }
  const count = (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) close()
  }
  const lookup = checkedLookup(resolve, policy)
  /** A connection whose address was checked, or none. */
  const reach = (host: string, port: number, then: (socket: Socket) => void, refuse: () => void) => {
    const bare = host.replace(/^\[|\]$/g, "")
    const isRefused = isIP(bare) !== 0 && policy.problem(bare) !== undefined
    if (isRefused || !isUsual(port) || left < 0) return refuse()
    const socket = connect({ host: bare, port, lookup })
    keep(socket)
    socket.once("error", refuse)
    socket.once("connect", () => {
      if (policy.problem(socket.remoteAddress ?? "") !== undefined) {
        socket.destroy()
        return refuse()
      }
      socket.off("error", refuse)
      socket.on("data", count)
      then(socket)
    })
  }
  const forward = (asked: IncomingMessage, answer: ServerResponse) => {
    const url = URL.parse(asked.url ?? "")
    const refuse = () => void (answer.headersSent ? answer.destroy() : answer.writeHead(403).end())
    if (url?.protocol !== "http:") return refuse()
    reach(
      url.hostname,
      Number(url.port || 80),
      (socket) => {
        const { "proxy-connection": _, ...headers } = asked.headers
        const path = `${url.pathname}${url.search}`
        const sent = request({ createConnection: () => socket, method: asked.method, path, headers })
        sent.on("error", refuse)
        sent.on("response", (came) => {
          answer.writeHead(came.statusCode ?? 502, came.headers)
          came.pipe(answer)
        })
        asked.pipe(sent)
      },
      refuse,
    )
  }
  const server = createServer(forward)
  server.on("connect", (asked, client) => {
    keep(client)
    const url = URL.parse(`https://${asked.url ?? ""}`)
    const refuse = () => client.end("HTTP/1.1 403 Forbidden\r\n\r\n")
    if (url === null) return refuse()
    reach(
      url.hostname,
      Number(url.port || 443),
      (socket) => {
        client.write("HTTP/1.1 200 Connection established\r\n\r\n")
        socket.pipe(client).pipe(socket)
      },
      refuse,
    )
  })
  server.on("connection", keep)
  await new Promise<void>((resolve_) => server.listen(0, "127.0.0.1", resolve_))
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      close()
      await new Promise<void>((resolve_) => server.close(() => resolve_()))
    },
  }
}

/** Ports below 1024 belong to services that are no web pages. */
function isUsual(port: number): boolean {
  return port === 80 || port === 443 || port >= 1024
}
