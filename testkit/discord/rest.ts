import type { IncomingMessage, ServerResponse } from "node:http"
import type { Payload } from "./world.ts"

/** Something that goes wrong with a request. */
export type Fault =
  /** 429 with Retry-After. */
  | { kind: "rate-limited"; retryAfterMs: number; isGlobal?: boolean }
  | { kind: "status"; status: number; code?: number; message?: string }
  /** Answered when the promise ends; what it asks for is done before, or only then. */
  | { kind: "slow"; until: Promise<unknown>; isTaken: boolean }
  /** The connection breaks instead of an answer; what it asks for was done, or was not. */
  | { kind: "dropped"; isTaken: boolean }

export interface Answer {
  status: number
  body?: unknown
}

/** A file as it came in a multipart upload. */
export interface UploadedFile {
  name: string
  type: string
  bytes: Uint8Array
}

interface Request {
  method: string
  path: string
  query: URLSearchParams
  body: Payload
  files: UploadedFile[]
}

/** One route: what it takes and what it gives. The groups of the pattern come as arguments. */
export interface Route {
  method: string
  path: RegExp
  answer(request: Request, ...parts: string[]): Answer
}

interface PlannedFault {
  fault: Fault
  method: string | undefined
  path: RegExp
  times: number
}

/** Discord's REST API on the routes it is given, with faults on demand. */
export function createRest(needs: { token: string; routes: Route[]; changed(): void }) {
  const faults: PlannedFault[] = []
  const requests: { method: string; path: string }[] = []

  const planned = (method: string, path: string): Fault | undefined => {
    const found = faults.find(
      (one) => one.times > 0 && (one.method ?? method) === method && one.path.test(path),
    )
    if (found) found.times -= 1
    return found?.fault
  }

  const route = (request: Request, authorization: string | undefined): Answer => {
    if (authorization !== `Bot ${needs.token}`)
      return { status: 401, body: { message: "401: Unauthorized", code: 0 } }
    for (const { method, path, answer } of needs.routes) {
      const match = method === request.method ? path.exec(request.path) : null
      if (match) return answer(request, ...match.slice(1).map(decodeURIComponent))
    }
    return { status: 404, body: { message: "404: Not Found", code: 0 } }
  }

  const take = async (incoming: IncomingMessage, response: ServerResponse) => {
    const url = new URL(incoming.url ?? "/", "http://peer")
    const method = incoming.method ?? "GET"
    const path = url.pathname.replace(/^\/api(\/v\d+)?/, "")
    const { body, files } = await bodyOf(incoming)
    requests.push({ method, path })
    const fault = planned(method, path)
    const answer = () =>
      route({ method, path, query: url.searchParams, body, files }, incoming.headers.authorization)
    await answerWith(response, fault, answer)
    needs.changed()
  }

  return {
    /** All requests in their order. */
    requests,
    take,
    plan(
      fault: Fault,
      { method, path = /./, times = 1 }: { method?: string; path?: RegExp; times?: number },
    ) {
      faults.push({ fault, method, path, times })
    },
  }
}

async function answerWith(
  response: ServerResponse,
  fault: Fault | undefined,
  answer: () => Answer,
): Promise<void> {
  if (fault === undefined) return send(response, answer())
  switch (fault.kind) {
    case "dropped":
      if (fault.isTaken) answer()
      return void response.socket?.destroy()
    case "slow": {
      const early = fault.isTaken ? answer() : undefined
      await fault.until
      return response.destroyed ? undefined : send(response, early ?? answer())
    }
    case "status": {
      const body = { message: fault.message ?? "no", code: fault.code ?? 0 }
      return send(response, { status: fault.status, body })
    }
    case "rate-limited":
      return limit(response, fault)
  }
}

function limit(
  response: ServerResponse,
  { retryAfterMs, isGlobal = false }: Extract<Fault, { kind: "rate-limited" }>,
): void {
  const seconds = retryAfterMs / 1000
  response.setHeader("retry-after", String(seconds))
  response.setHeader("x-ratelimit-scope", isGlobal ? "global" : "user")
  if (isGlobal) response.setHeader("x-ratelimit-global", "true")
  else {
    response.setHeader("x-ratelimit-limit", "5")
    response.setHeader("x-ratelimit-remaining", "0")
    response.setHeader("x-ratelimit-reset-after", String(seconds))
    response.setHeader("x-ratelimit-bucket", "bucket")
  }
  const body = { message: "You are being rate limited.", retry_after: seconds, global: isGlobal }
  send(response, { status: 429, body })
}

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, body === undefined ? {} : { "content-type": "application/json" })
  response.end(body === undefined ? undefined : JSON.stringify(body))
}

async function bodyOf(incoming: IncomingMessage): Promise<{ body: Payload; files: UploadedFile[] }> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const type = incoming.headers["content-type"] ?? ""
  if (type.startsWith("multipart/form-data")) return formOf(Buffer.concat(chunks), type)
  const text = Buffer.concat(chunks).toString()
  return { body: text === "" ? {} : JSON.parse(text), files: [] }
}

async function formOf(sent: Buffer, type: string): Promise<{ body: Payload; files: UploadedFile[] }> {
  const form = await new Response(new Uint8Array(sent), { headers: { "content-type": type } }).formData()
  const files: UploadedFile[] = []
  for (const [, value] of form) {
    if (typeof value === "string") continue
    files.push({ name: value.name, type: value.type, bytes: new Uint8Array(await value.arrayBuffer()) })
  }
  return { body: JSON.parse(String(form.get("payload_json") ?? "{}")), files }
}
