import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import { type AddressInfo, connect, isIP, type Socket } from "node:net"
import type { Duplex } from "node:stream"
import type { AddressPolicy } from "./public-address.ts"
import { checkedLookup, type Resolve } from "./send-request.ts"

/** A proxy on a loopback port that connects to public addresses only, for programs such as a browser. */
export interface CheckingProxy {
  port: number
  close(): Promise<void>
}

/** Opens the proxy. It resolves names itself and checks the address of each connection. */
export async function openCheckingProxy({
  policy,
  resolve,
  mostBytes,
}: {
  policy: AddressPolicy
  resolve: Resolve
  /** The total number of bytes that may be received; then all connections are closed. */
  mostBytes: number
}): Promise<CheckingProxy> {
  const open = new Set<Duplex>()
  let left = mostBytes
  const close = () => {
    for (const socket of open) socket.destroy()
  }
  const track = (socket: Duplex) => {
    open.add(socket)
    socket.on("error", () => socket.destroy())
    socket.once("close", () => open.delete(socket))
  }
  const count = (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) close()
  }
  const lookup = checkedLookup(resolve, policy)
  /** Connects and checks the address, then calls `then` or `refuse`. */
  const connectChecked = (host: string, port: number, then: (socket: Socket) => void, refuse: () => void) => {
    const bare = host.replace(/^\[|\]$/g, "")
    const isRefused = isIP(bare) !== 0 && policy.problem(bare) !== undefined
    if (isRefused || !isUsual(port) || left < 0) return refuse()
    const socket = connect({ host: bare, port, lookup })
    track(socket)
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
    connectChecked(
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
    track(client)
    const url = URL.parse(`https://${asked.url ?? ""}`)
    const refuse = () => client.end("HTTP/1.1 403 Forbidden\r\n\r\n")
    if (url === null) return refuse()
    connectChecked(
      url.hostname,
      Number(url.port || 443),
      (socket) => {
        client.write("HTTP/1.1 200 Connection established\r\n\r\n")
        socket.pipe(client).pipe(socket)
      },
      refuse,
    )
  })
  server.on("connection", track)
  await new Promise<void>((resolve_) => server.listen(0, "127.0.0.1", resolve_))
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      close()
      await new Promise<void>((resolve_) => server.close(() => resolve_()))
    },
  }
}

/** Ports below 1024, except 80 and 443, belong to other protocols. */
function isUsual(port: number): boolean {
  return port === 80 || port === 443 || port >= 1024
}
