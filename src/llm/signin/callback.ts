import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { finished } from "node:stream/promises"
import { codeOf, UserError } from "../../base/errors.ts"
import { page } from "./page.ts"
import { findPortHolder } from "./port-holder.ts"

/** The request with which the browser comes back. */
interface Callback {
  query: URLSearchParams
  /** Shows the result to the user, in the browser. */
  answer(ending: "signed-in" | { problem: string }): Promise<void>
}

interface CallbackListener {
  redirectUri: string
  callback: Promise<Callback>
  close(): Promise<void>
}

const path = "/auth/callback"

/** Waits for the browser on the first free port, on loopback addresses only. */
export async function listenForCallback(ports: readonly number[]): Promise<CallbackListener> {
  const arrived = Promise.withResolvers<Callback>()
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const url = URL.parse(request.url ?? "/", "http://localhost")
    if (request.method !== "GET" || url?.pathname !== path) return send(response, 404, page("elsewhere"))
    arrived.resolve({
      query: url.searchParams,
      answer: (ending) => send(response, ending === "signed-in" ? 200 : 400, page(ending)),
    })
    return undefined
  }
  const { servers, port } = await openFirst(ports, answer)
  return {
    redirectUri: `http://localhost:${port}${path}`,
    callback: arrived.promise,
    close: async () => void (await Promise.all(servers.map(closeServer))),
  }
}

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown

async function openFirst(
  ports: readonly number[],
  answer: Answer,
): Promise<{ servers: Server[]; port: number }> {
  for (const wanted of ports) {
    const servers = await openBoth(wanted, answer)
    const address = servers?.[0]?.address()
    if (servers && typeof address === "object" && address) return { servers, port: address.port }
  }
  throw portsTaken(ports)
}

/** `localhost` may resolve to either address; undefined if another program has the port on one of them. */
async function openBoth(wanted: number, answer: Answer): Promise<Server[] | undefined> {
  const first = await open("127.0.0.1", wanted, answer)
  if (first === undefined) return undefined
  const address = first.address()
  const port = typeof address === "object" && address ? address.port : wanted
  try {
    const second = await open("::1", port, answer)
    if (second) return [first, second]
  } catch {
    // This machine has no IPv6.
    return [first]
  }
  await closeServer(first)
  return undefined
}

async function open(host: string, port: number, answer: Answer): Promise<Server | undefined> {
  const server = createServer(answer)
  try {
    server.listen({ host, port })
    await once(server, "listening")
    return server
  } catch (error) {
    if (codeOf(error) === "EADDRINUSE") return undefined
    throw error
  }
}

async function send(response: ServerResponse, status: number, body: string): Promise<void> {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    connection: "close",
  })
  response.end(body)
  // It is no error if the browser has closed the connection.
  await finished(response).catch(() => undefined)
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

function portsTaken(ports: readonly number[]): UserError {
  const held = ports.map((port) => `${port}${holderText(port)}`).join(" and ")
  const advice = "end that program, or use `reverie login chatgpt --no-browser`."
  const what = ports.length === 1 ? `Port ${held} is` : `Ports ${held} are`
  return new UserError("conflict", `${what} taken, and OpenAI sends browsers back to no other; ${advice}`)
}

function holderText(port: number): string {
  const holder = findPortHolder(port)
  return holder === undefined ? "" : ` (by ${holder.name}, pid ${holder.pid})`
}
