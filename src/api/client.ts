import { messageOf, UserError } from "../base/errors.ts"
import { newId, type Random } from "../base/random.ts"
import type { ImportSummary } from "../memory/write/import-run.ts"
import { type Failure, noticeOf } from "./answers/answer.ts"
import { linesOf } from "./answers/lines.ts"
import type { Answer } from "./contract/answers.ts"
import { type CallName, callOf, calls, sessionHeader } from "./contract/calls.ts"
import type { EntryJson } from "./contract/memory-answers.ts"
import type { RequestInput, requests } from "./contract/requests.ts"
import { type Fetch, type FetchInit, type FetchResponse, isConnectionLost } from "./fetch.ts"

/** What a client needs. Where it connects to depends on its fetch. */
export interface ClientOptions {
  fetch: Fetch
  random: Random
  /** Who acts, for the journal: cli, mcp, … */
  actor: string
  /** The session of the agent, if an agent acts. */
  session?: string | undefined
  /** Receives messages for the user that come with answers, each once. */
  onNotice?: (text: string) => void
}

interface ImportRequest {
  body: ReadableStream<Uint8Array>
  verbatim: boolean
  /** The current folder; the configuration of its project applies. */
  from?: string
  format?: RequestInput<"import">["format"]
  /** The project of another tool's memories. */
  project?: string | undefined
  /** The folder of the file; if it belongs to a project, another tool's memories do too. */
  beside?: string | undefined
  onProgress(done: number): void
}

/** The typed client of the API: a method for each call, and three that stream. Each throws a UserError when the API refuses. */
export type Client = {
  [Name in CallName]: (...given: CallArguments<Name>) => Promise<Answer<Name>>
} & Streaming

/** The id in the path, the input, and an operation id: a change that is sent twice with the same id is done once. */
type CallArguments<Name extends CallName> = [
  ...((typeof calls)[Name] extends `${string}:id${string}` ? [id: string] : []),
  ...(Name extends keyof typeof requests ? RequestArguments<Name> : []),
]
type RequestArguments<Name extends keyof typeof requests> =
  Partial<RequestInput<Name>> extends RequestInput<Name>
    ? [asked?: RequestInput<Name>, operation?: string]
    : [asked: RequestInput<Name>, operation?: string]

type Streaming = ReturnType<typeof streaming>

/** Creates a client. */
export function createClient(needs: ClientOptions): Client {
  const shown = new Set<string>()
  const send = async (path: string, init?: FetchInit) => {
    const response = await sendTo(needs.fetch, path, init)
    const notice = noticeOf(response)
    if (notice !== undefined && !shown.has(notice)) needs.onNotice?.(notice)
    if (notice !== undefined) shown.add(notice)
    return response
  }
  const methods = Object.keys(calls).map((name) => [name, methodFor(needs, send, name as CallName)])
  return { ...Object.fromEntries(methods), ...streaming(needs, send) }
}

type Send = (path: string, init?: FetchInit) => Promise<FetchResponse>

/** The method of one call. */
function methodFor(needs: ClientOptions, send: Send, name: CallName) {
  const { method, path } = callOf(name)
  const takesId = path.includes(":id")
  return async (...args: unknown[]) => {
    const to = takesId ? path.replace(":id", () => pathPart(String(args.shift()))) : path
    const [asked = {}, operation] = args
    if (method === "GET") return retryOnce(async () => (await send(to + search(asked as object))).json())
    const id = typeof operation === "string" ? operation : newId(needs.random, "op")
    const headers = { ...operationHeaders(needs, id), "content-type": "application/json" }
    const init = { method, headers, body: JSON.stringify(asked) }
    return retryOnce(async () => (await send(to, init)).json())
  }
}

/** An id as a part of a path. Refuses those that would make it the path of another call. */
function pathPart(id: string): string {
  if (id.trim() === "") throw new UserError("usage", "The id is empty; give one.")
  if (id === "." || id === "..") throw new UserError("usage", `“${id}” is not an id.`)
  return encodeURIComponent(id)
}

/** The calls that stream. */
function streaming(needs: ClientOptions, send: Send) {
  return {
    /** The export as a stream. */
    export: async (format: "json" | "markdown", project?: string) =>
      bodyOf(await send(`/memories/export${search({ format, project })}`, { streams: true })),
    /** Sends a file and reports the progress. */
    async import({ body, onProgress, ...options }: ImportRequest) {
      const operation = newId(needs.random, "op")
      const headers = operationHeaders(needs, operation)
      const init = { method: "POST", body, duplex: "half", headers, streams: true }
      try {
        const query = search(options)
        const response = await send(`/memories/import${query}`, init as FetchInit)
        return await importResult(response, operation, onProgress)
      } catch (error) {
        throw isConnectionLost(error) ? importInterrupted(operation, error) : error
      }
    },
    /** Journal entries as they are written, until the signal aborts or the daemon stops. */
    async *follow(query: RequestInput<"follow">, signal: AbortSignal): AsyncGenerator<EntryJson> {
      const response = await send(`/journal/stream${search(query)}`, { signal, streams: true })
      try {
        for await (const line of linesOf(response.body)) {
          if (line.startsWith("data: ")) yield JSON.parse(line.slice("data: ".length))
        }
      } catch (error) {
        // A daemon that dies ends the stream as one that stops.
        if (!isConnectionLost(error)) throw error
      }
    },
  }
}

/** Headers with the actor and the operation id, which lets a change be sent twice and done once. */
function operationHeaders(needs: ClientOptions, operation: string): Record<string, string> {
  const session = needs.session === undefined ? {} : { [sessionHeader]: needs.session }
  return { "x-reverie-operation": operation, "x-reverie-actor": needs.actor, ...session }
}

/** Sends a second time if the connection was lost; the operation id makes that safe. */
async function retryOnce<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!isConnectionLost(error)) throw error
    return ask()
  }
}

async function sendTo(fetch: ClientOptions["fetch"], path: string, init?: FetchInit): Promise<FetchResponse> {
  const response = await fetch(`http://reverie/v1${path}`, init)
  if (response.ok) return response
  throw await failureFrom(response)
}

function search(query: object): string {
  const fields = Object.entries(query).filter(([, value]) => value !== undefined)
  const text = new URLSearchParams(
    fields.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  return text === "" ? "" : `?${text}`
}

function bodyOf(response: FetchResponse): ReadableStream<Uint8Array> {
  if (response.body) return response.body
  throw new UserError("failed", "The daemon sent an empty answer.")
}

async function importResult(
  response: FetchResponse,
  operation: string,
  onProgress: (done: number) => void,
): Promise<ImportSummary> {
  for await (const line of linesOf(response.body)) {
    const message: { done?: number; result?: ImportSummary } & Partial<Failure> = JSON.parse(line)
    if (message.error) throw new UserError(message.error.kind, message.error.message)
    if (message.result) return message.result
    onProgress(message.done ?? 0)
  }
  throw importInterrupted(operation)
}

function importInterrupted(operation: string, cause?: unknown): UserError {
  const advice = `Import the file again to continue, or undo it with \`reverie undo ${operation}\`.`
  return new UserError("failed", `The daemon stopped; what was imported so far is saved. ${advice}`, {
    cause,
  })
}

async function failureFrom(response: FetchResponse): Promise<UserError> {
  try {
    const { error } = (await response.json()) as Failure
    return new UserError(error.kind, error.message)
  } catch (error) {
    return new UserError("failed", `The daemon answered ${response.status} (${messageOf(error)}).`)
  }
}
