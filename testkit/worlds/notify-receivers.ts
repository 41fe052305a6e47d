import type { IncomingHttpHeaders, RequestListener } from "node:http"
import type { Notice, Notifier, SendResult } from "../../src/safety/notify/notice.ts"
import { serveHttp } from "../http-server.ts"
import { sqliteDatabase } from "../setup/databases.ts"
import { openNotifyWorld } from "./notify-world.ts"

/** A channel that keeps what it is given, and does with it what the test says. */
export function channel(
  answer: (notice: Notice) => SendResult | Promise<SendResult> = () => ({ outcome: "sent" }),
) {
  const got: Notice[] = []
  const notifier: Notifier = {
    id: "kept",
    person: "ann@example.net",
    isPrivate: true,
    supportsLinks: true,
    deduplicates: false,
    async send(notice) {
      got.push(notice)
      return answer(notice)
    },
  }
  return { got, notifier }
}

interface Received {
  headers: IncomingHttpHeaders
  body: string
  url: string
}

/** What stands for something that did not come. */
export const nothing: Received = { headers: {}, body: "{}", url: "" }

/** A receiver that keeps what comes and answers with these statuses in turn, then with 200. */
export async function receiver(...statuses: number[]) {
  const received: Received[] = []
  const listener: RequestListener = (request, response) => {
    let body = ""
    request.on("data", (chunk) => {
      body += chunk
    })
    request.on("end", () => {
      received.push({ headers: request.headers, body, url: request.url ?? "" })
      const status = statuses.shift() ?? 200
      if (status === 0) request.socket.destroy()
      else response.writeHead(status).end()
    })
  }
  return { received, url: await serveHttp(listener) }
}

type World = Awaited<ReturnType<typeof openNotifyWorld>>

/** A world that listens, on SQLite. */
export async function listening(options: Parameters<typeof openNotifyWorld>[1]): Promise<World> {
  const world = await openNotifyWorld(sqliteDatabase(), options)
  await world.start()
  return world
}
