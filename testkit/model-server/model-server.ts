import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { ZodError } from "zod"
import type { HttpRequest, ModelRequest } from "./asked.ts"
import { chatFormat, openRouterFormat } from "./chat-format.ts"
import { deliver, sendJson } from "./delivery.ts"
import { geminiFormat } from "./gemini-format.ts"
import { readRequest } from "./http-request.ts"
import { messagesFormat } from "./messages-format.ts"
import { answerOther } from "./other-routes.ts"
import { responsesFormat } from "./responses-format.ts"
import { openScript, type Script } from "./script.ts"
import type { Exchange, WireFormat } from "./wire-format.ts"

/** A model on a loopback port that says what the script tells it to, in whichever format it is asked. */
export interface ModelServer extends Omit<Script, "take" | "complain"> {
  /** Without a slash at the end, and without `/v1`. */
  readonly url: string
  /** What was asked of the model, in the order it came. */
  readonly requests: readonly ModelRequest[]
  /** Everything else that came: lists of models, counts of tokens, and what was not found. */
  readonly others: readonly HttpRequest[]
  /** The request of that number, counted from one, as soon as it has come. */
  received(count: number): Promise<ModelRequest>
  close(): Promise<void>
}

const formats: Record<string, WireFormat> = {
  "/v1/responses": responsesFormat,
  "/responses": responsesFormat,
  "/backend-api/codex/responses": responsesFormat,
  "/v1/chat/completions": chatFormat,
  "/api/v1/chat/completions": openRouterFormat,
  "/v1/messages": messagesFormat,
}

function formatFor(path: string): WireFormat | undefined {
  return formats[path] ?? geminiFormat(path)
}

/** Starts a server with an empty script. The caller closes it. */
export async function startModelServer(
  options: { port?: number; models?: readonly string[]; now?: () => number } = {},
): Promise<ModelServer> {
  const { port = 0, models = ["scripted-model"], now = Date.now } = options
  const requests: ModelRequest[] = []
  const others: HttpRequest[] = []
  const script = openScript({ others })
  const waiting = new Set<() => void>()

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming)
    const format = request.method === "POST" ? formatFor(request.path) : undefined
    if (format !== undefined) return answerModel(format, request, response)
    others.push(request)
    answerOther(request, response, models)
  }

  async function answerModel(
    format: WireFormat,
    request: HttpRequest,
    response: ServerResponse,
  ): Promise<void> {
    const exchange = openExchange(format, request, response)
    if (exchange === null) return
    const gone = new AbortController()
    response.once("close", () => gone.abort())
    const ended = Promise.withResolvers<"answered" | "cut" | "abandoned">()
    const asked = { ...request, format: format.id, asked: exchange.asked, ended: ended.promise }
    requests.push(asked)
    const given = { id: String(requests.length).padStart(8, "0"), createdAt: Math.floor(now() / 1000) }
    for (const look of waiting) look()
    const step = await script.take(asked)
    const result = await deliver({ response, format, exchange, given, gone: gone.signal }, step)
    if (!gone.signal.aborted) await once(gone.signal, "abort")
    if (result === "cut") ended.resolve("cut")
    else ended.resolve(response.writableFinished ? "answered" : "abandoned")
  }

  /** Null, with the refusal sent, where the real API would not take the request either. */
  function openExchange(format: WireFormat, request: HttpRequest, response: ServerResponse): Exchange | null {
    const opened = tryOpen(format, request.body)
    if (typeof opened !== "string") return opened
    others.push(request)
    script.complain(`${request.path} would have been refused: ${opened}`)
    sendJson(response, 400, {}, format.refuse({ fail: 400, message: opened }, null).body)
    return null
  }

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => {
      if (!incoming.complete) return
      const problem = `the server itself failed: ${error instanceof Error ? error.message : String(error)}`
      script.complain(problem)
      if (response.headersSent) response.destroy()
      else sendJson(response, 500, {}, { error: { message: problem, type: "server_error" } })
    })
  })
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the model server has no port")

  const { script: add, next, aside, always, done } = script
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    others,
    script: add,
    next,
    aside,
    always,
    done,
    received(count) {
      return new Promise((resolve) => {
        const look = () => {
          const request = requests[count - 1]
          if (request === undefined) return
          waiting.delete(look)
          resolve(request)
        }
        waiting.add(look)
        look()
      })
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function tryOpen(format: WireFormat, body: unknown): Exchange | string {
  try {
    const exchange = format.open(body)
    return exchange.complaint ?? exchange
  } catch (error) {
    if (!(error instanceof ZodError)) throw error
    const issue = error.issues[0]
    return `${issue?.path.join(".")}: ${issue?.message}`
  }
}
