import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { serveHttp } from "../http-server.ts"

/** One request as it came to a server that means harm. */
export interface Caught {
  method: string
  path: string
  headers: IncomingMessage["headers"]
  body: string
}

/** A server that keeps everything it is sent. */
export interface HostileServer {
  url: string
  caught: Caught[]
}

/** Serves on loopback; `answer` comes after the request was read whole. */
export async function serveHostile(
  answer: (caught: Caught, response: ServerResponse) => void,
): Promise<HostileServer> {
  const caught: Caught[] = []
  const listener: RequestListener = async (request, response) => {
    response.on("error", () => {})
    const body = await text(request).catch(() => "")
    const { method = "", url = "", headers } = request
    const one = { method, path: url, headers, body }
    caught.push(one)
    answer(one, response)
  }
  return { url: await serveHttp(listener), caught }
}

/** Answers 200 to whatever comes, so that a key that was led here is taken. */
export function serveThief(): Promise<HostileServer> {
  return serveHostile((_, response) => json(response, { data: [{ id: "stolen" }] }))
}

export function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
}

/** Writes the same again and again until the other side has had enough; gives how many bytes went out. */
export async function pour(response: ServerResponse, part: string | Buffer, most = 2 ** 30): Promise<number> {
  let sent = 0
  let goOn = () => {}
  response.on("drain", () => goOn())
  response.on("close", () => goOn())
  while (!response.destroyed && sent < most) {
    sent += part.length
    if (response.write(part)) continue
    await new Promise<void>((resolve) => {
      goOn = resolve
    })
  }
  response.end()
  return sent
}
