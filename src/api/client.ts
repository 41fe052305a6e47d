import { messageOf, UserError } from "../base/errors.ts"
import { newId, type Random } from "../base/random.ts"
import type { Imported } from "../memory/write/import-run.ts"
import { type Failure, noticeOf } from "./answers/answer.ts"
import { linesOf } from "./answers/lines.ts"
import { type Answered, type Ask, type Asking, isCutOff } from "./ask.ts"
import type { Answer } from "./contract/answers.ts"
import { type CallName, callOf, calls } from "./contract/calls.ts"
import type { EntryJson } from "./contract/memory-answers.ts"
import type { Asked, requests } from "./contract/requests.ts"
import { sessionHeader } from "./session-header.ts"

interface ClientNeeds {
  /** Goes to the daemon's socket, or straight into an app of this process. */
  fetch: Ask
  random: Random
  /** Who acts, for the journal: cli, mcp, … */
  actor: string
  /** The session of the agent that acts, where one does. */
  session?: string | undefined
  /** Hears what users should know beside an answer; each thing once. */
  onNotice?: (text: string) => void
}

interface ImportRequest {
  body: ReadableStream<Uint8Array>
  verbatim: boolean
  /** The folder it is asked for in; that project's configuration applies. */
  from?: string
  format?: Asked<"import">["format"]
  /** Where memories of other tools belong. */
  project?: string | undefined
  /** The folder of the file; if that is a project's, memories of other tools belong to it. */
  beside?: string | undefined
  onProgress(done: number): void
}

/** The typed client of the API: a method for each call, and three that stream. Each throws a UserError when the API refuses. */
export type Client = { [Name in CallName]: (...given: Given<Name>) => Promise<Answer<Name>> } & Streaming

/**
 * What a method is given: the id in the path, what is asked, and an operation; give the same operation again to repeat a
 * change whose answer was lost: it is done once.
 */
type Given<Name extends CallName> = [
  ...((typeof calls)[Name] extends `${string}:id${string}` ? [id: string] : []),
  ...(Name extends keyof typeof requests ? GivenRequest<Name> : []),
]
type GivenRequest<Name extends keyof typeof requests> =
  Partial<Asked<Name>> extends Asked<Name>
    ? [asked?: Asked<Name>, operation?: string]
    : [asked: Asked<Name>, operation?: string]

type Streaming = ReturnType<typeof streaming>

/** Makes a client; where it leads is decided by its fetch. */
export function createClient(needs: ClientNeeds): Client {
  const heard = new Set<string>()
  const send = async (path: string, init?: Asking) => {
    const response = await sendTo(needs.fetch, path, init)
    const notice = noticeOf(response)
    if (notice !== undefined && !heard.has(notice)) needs.onNotice?.(notice)
    if (notice !== undefined) heard.add(notice)
    return response
  }
  const methods = Object.keys(calls).map((name) => [name, methodFor(needs, send, name as CallName)])
  return { ...Object.fromEntries(methods), ...streaming(needs, send) }
}

type Send = (path: string, init?: Asking) => Promise<Answered>

/** The method of one call. */
function methodFor(needs: ClientNeeds, send: Send, name: CallName) {
  const { method, path } = callOf(name)
  const takesId = path.includes(":id")
  return (...given: unknown[]) => {
    const to = takesId ? path.replace(":id", encodeURIComponent(String(given.shift()))) : path
    const [asked = {}, operation] = given
    if (method === "GET") return orAgain(async () => (await send(to + search(asked as object))).json())
    const id = typeof operation === "string" ? operation : newId(needs.random, "op")
    const headers = { ...act(needs, id), "content-type": "application/json" }
    const init = { method, headers, body: JSON.stringify(asked) }
    return orAgain(async () => (await send(to, init)).json())
  }
}

/** What comes or goes piece by piece. */
function streaming(needs: ClientNeeds, send: Send) {
  return {
    /** The export as it comes. */
    export: async (format: "json" | "markdown", project?: string) =>
      bodyOf(await send(`/memories/export${search({ format, project })}`, { streams: true })),
    /** Sends a file's bytes and tells how far it is. */
    async import({ body, onProgress, ...options }: ImportRequest) {
      const operation = newId(needs.random, "op")
      const headers = act(needs, operation)
      const init = { method: "POST", body, duplex: "half", headers, streams: true }
      try {
        const query = search(options)
        const response = await send(`/memories/import${query}`, init as Asking)
        return await importResult(response, operation, onProgress)
      } catch (error) {
        throw isCutOff(error) ? brokenOff(operation, error) : error
      }
    },
    /** Journal entries as they are written, until the signal aborts or the daemon stops. */
    async *follow(query: Asked<"follow">, signal: AbortSignal): AsyncGenerator<EntryJson> {
      const response = await send(`/journal/stream${search(query)}`, { signal, streams: true })
      try {
        for await (const line of linesOf(response.body)) {
          if (line.startsWith("data: ")) yield JSON.parse(line.slice("data: ".length))
        }
      } catch (error) {
        // A daemon that dies ends the stream like one that stops.
        if (!isCutOff(error)) throw error
      }
    },
  }
}

/** Headers that name the actor, and let the same act be sent twice without being done twice. */
function act(needs: ClientNeeds, operation: string): Record<string, string> {
  const session = needs.session === undefined ? {} : { [sessionHeader]: needs.session }
  return { "x-reverie-operation": operation, "x-reverie-actor": needs.actor, ...session }
}

/** Asks a second time when the answer was cut off: the operation id makes that safe. */
async function orAgain<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!isCutOff(error)) throw error
    return ask()
  }
}

async function sendTo(fetch: ClientNeeds["fetch"], path: string, init?: Asking): Promise<Answered> {
  const response = await fetch(`http://reverie/v1${path}`, init)
  if (response.ok) return response
  throw await failureFrom(response)
}

function search(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const text = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  return text === "" ? "" : `?${text}`
}

function bodyOf(response: Answered): ReadableStream<Uint8Array> {
  if (response.body) return response.body
  throw new UserError("failed", "The daemon answered with nothing.")
}

async function importResult(
  response: Answered,
  operation: string,
  onProgress: (done: number) => void,
): Promise<Imported> {
  for await (const line of linesOf(response.body)) {
    const said: { done?: number; result?: Imported } & Partial<Failure> = JSON.parse(line)
    if (said.error) throw new UserError(said.error.kind, said.error.message)
    if (said.result) return said.result
    onProgress(said.done ?? 0)
  }
  throw brokenOff(operation)
}

function brokenOff(operation: string, cause?: unknown): UserError {
  const advice = `Import the file again to go on, or take it back with \`reverie undo ${operation}\`.`
  return new UserError(
    "failed",
    `The daemon ended in the middle; what was imported until then is kept, if anything was. ${advice}`,
    { cause },
  )
}

async function failureFrom(response: Answered): Promise<UserError> {
  try {
    const { error } = (await response.json()) as Failure
    return new UserError(error.kind, error.message)
  } catch (error) {
    return new UserError("failed", `The daemon answered ${response.status} (${messageOf(error)}).`)
  }
}
