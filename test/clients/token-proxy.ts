import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

/**
 * Stands before the daemon for a program that cannot send a token. Its own names in Host and Origin become the daemon's;
 * any other name goes through as it came, so that the daemon's answer to it is seen.
 */
export async function serveWithToken(url: string, token: string): Promise<string> {
  const daemon = new URL(url)
  const server = createServer((asked, answer) => {
    const { port } = server.address() as AddressInfo
    const renamed = (name: string | undefined) =>
      name?.replace(/(127\.0\.0\.1|localhost):(\d+)$/, (whole, host, at) =>
        Number(at) === port ? `${host}:${daemon.port}` : whole,
      )
    const headers = { ...asked.headers, host: renamed(asked.headers.host), authorization: `Bearer ${token}` }
    const sent = request(
      {
        host: daemon.hostname,
        port: daemon.port,
        path: asked.url,
        method: asked.method,
        headers: { ...headers, ...(asked.headers.origin ? { origin: renamed(asked.headers.origin) } : {}) },
      },
      (back) => {
        answer.writeHead(back.statusCode ?? 502, back.headers)
        back.pipe(answer)
      },
    )
    sent.on("error", () => answer.destroy())
    answer.on("close", () => sent.destroy())
    asked.pipe(sent)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://localhost:${(server.address() as AddressInfo).port}`
}
