import { createHash } from "node:crypto"
import { z } from "zod"
import { type Clock, sleep } from "../base/clock.ts"
import { messageOf, UserError } from "../base/errors.ts"
import type { Log } from "../base/log.ts"
import { limitFetch, refusedResponseIn } from "../base/net/limit-fetch.ts"
import { readRetryAfter } from "../base/net/safe-fetch/host-queue.ts"
import { isLoopback } from "../base/net/web-address.ts"
import { tryParseJson } from "../base/text/json.ts"
import { withTimeout } from "../base/with-timeout.ts"
import { problemWithApiKey } from "../config/api-key.ts"
import type { Environment } from "../config/environment.ts"
import { problemWithRemote, remoteKeyVariable } from "../config/remote-embedder.ts"
import type { Config } from "../config/schema.ts"
import { closedError, type Embedded, type Embedder, type EmbedderStatus } from "./embedder.ts"
import { normalize } from "./runtime/vectors.ts"

interface RemoteHost {
  env: Pick<Environment, "variable">
  clock: Clock
  log: Log
  fetch: typeof fetch
  /** Removes secrets from a text for another machine: unlike memories, questions are not screened before. */
  redact?: (text: string) => string
}

type Settings = Config["embedding"]

/** At most this many texts and characters per request. */
const batchTexts = 64
const batchCharacters = 60_000

/** The limits of one request, of its attempts, and of the pause between two of them. */
const requestMs = 60_000
const mostTries = 5
const longestPauseMs = 60_000

const limits = { mostBytes: 32 * 1024 * 1024, redirects: "same-origin" } as const

/** The limit of an urgent request, all attempts together. */
const urgentMs = 3000

const answerSchema = z.object({
  data: z.array(z.object({ index: z.int().min(0).optional(), embedding: z.array(z.number()).min(1) })),
})

/** One attempt: the vectors, a temporary failure (and when to retry), or a permanent one. */
type Try =
  | { outcome: "embedded"; vectors: Float32Array[] }
  | { outcome: "busy"; reason: string; retryMs: number | undefined }
  | { outcome: "refused"; reason: string; see?: string }

/** Opens a model behind an OpenAI-compatible API. It gives no vectors of word pieces. */
export function openRemoteEmbedder(needs: RemoteHost, settings: Settings): Embedder {
  const target = targetOf(needs, settings)
  const closing = new AbortController()
  let dimensions = settings.remote_dimensions
  let status: EmbedderStatus = { state: "idle", ...target.shown }

  async function embedBatch(texts: readonly string[], until: number): Promise<Float32Array[]> {
    const { redact = (text) => text } = needs
    const sent = target.isHere ? texts : texts.map(redact)
    const ask = () => askOnce(needs, target, sent, { closing: closing.signal, until })
    const vectors = await withRetries(needs, ask, { closing: closing.signal, until })
    dimensions ||= vectors[0]?.length ?? 0
    const wrong = vectors.find((vector) => vector.length !== dimensions)
    if (wrong) throw failed(`it gave a vector of ${wrong.length} numbers instead of ${dimensions}`)
    return vectors
  }

  return {
    model: target.id,
    get dimensions() {
      return dimensions
    },
    tokenDimensions: undefined,
    // Until it is measured (scaled.ts): strict, since a mistake would merge two memories.
    similarity: { duplicate: 0.95, related: 0.6, unrelated: 0.2 },
    async embed(texts, { urgent = false, question = false } = {}) {
      if (closing.signal.aborted) throw closedError()
      const until = urgent ? needs.clock.now() + urgentMs : Number.POSITIVE_INFINITY
      const results: Embedded[] = []
      try {
        const prefix = question ? target.questionPrefix : target.textPrefix
        for (const batch of batchesOf(texts.map((text) => `${prefix}${text}`))) {
          const vectors = await embedBatch(batch, until)
          results.push(...vectors.map((vector) => ({ vector, tokens: undefined })))
        }
      } catch (error) {
        status = { state: "failed", ...target.shown, reason: messageOf(error) }
        throw error
      }
      status = { state: "ready", ...target.shown }
      return results
    },
    status: () => status,
    async close() {
      closing.abort(closedError())
    },
  }
}

interface Target {
  id: string
  url: string
  /** Whether it is on this machine. */
  isHere: boolean
  headers: Record<string, string>
  request: { model: string; dimensions?: number; encoding_format: "float" }
  /** What the model expects before a text, and before a question. */
  textPrefix: string
  questionPrefix: string
  shown: { runtime: string; provider: string }
}

function targetOf({ env }: RemoteHost, settings: Settings): Target {
  const { remote_url, remote_model, remote_dimensions } = settings
  const problem = problemWithRemote(settings)
  if (problem) throw new UserError("config", problem.message)
  const variable = remoteKeyVariable(settings)
  const key = variable === undefined ? undefined : env.variable(variable)
  const wrong = problemWithApiKey(variable, key)
  if (wrong) throw new UserError("config", wrong)
  const url = `${remote_url.replace(/\/+$/, "")}/embeddings`
  return {
    id: modelId(settings),
    url,
    isHere: isLoopback(url),
    textPrefix: settings.remote_text_prefix,
    questionPrefix: settings.remote_question_prefix,
    headers: {
      "content-type": "application/json",
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    request: {
      model: remote_model,
      encoding_format: "float",
      ...(remote_dimensions > 0 ? { dimensions: remote_dimensions } : {}),
    },
    shown: { runtime: "remote", provider: new URL(url).host },
  }
}

/** The stored name of the model: vectors that were made with other settings must not be compared. */
function modelId({ remote_model, remote_dimensions, remote_text_prefix: prefix }: Settings): string {
  const length = remote_dimensions > 0 ? `/${remote_dimensions}` : ""
  const before = prefix === "" ? "" : `/${createHash("sha256").update(prefix).digest("hex").slice(0, 8)}`
  return `${remote_model}${length}${before}`
}

function* batchesOf(texts: readonly string[]): Generator<string[]> {
  let batch: string[] = []
  let characters = 0
  for (const text of texts) {
    if (batch.length === batchTexts || (batch.length > 0 && characters + text.length > batchCharacters)) {
      yield batch
      batch = []
      characters = 0
    }
    batch.push(text)
    characters += text.length
  }
  if (batch.length > 0) yield batch
}

/** What ends the attempts early. */
interface Ending {
  closing: AbortSignal
  /** The deadline, in milliseconds since 1970. */
  until: number
}

/** Retries temporary failures with growing pauses, or when the server says. */
async function withRetries(
  { clock, log }: RemoteHost,
  ask: () => Promise<Try>,
  { closing, until }: Ending,
): Promise<Float32Array[]> {
  for (let tries = 1; ; tries += 1) {
    const tried = await ask()
    if (closing.aborted) throw closedError()
    if (tried.outcome === "embedded") return tried.vectors
    if (tried.outcome === "refused") throw failed(tried.reason, tried.see)
    if (tries === mostTries) throw failed(`${tried.reason}, ${mostTries} times`)
    const pauseMs = Math.min(tried.retryMs ?? 500 * 2 ** tries, longestPauseMs)
    if (clock.now() + pauseMs >= until) throw failed(tried.reason)
    log.warn("The embedding server did not answer as expected; retrying", {
      reason: tried.reason,
      pauseMs,
    })
    await sleep(clock, pauseMs, closing)
    if (closing.aborted) throw closedError()
  }
}

function askOnce(
  { clock, fetch }: RemoteHost,
  target: Target,
  texts: readonly string[],
  { closing, until }: Ending,
): Promise<Try> {
  const patienceMs = Math.min(requestMs, Math.max(0, until - clock.now()))
  return withTimeout(clock, patienceMs, closing, async (signal, isLate) => {
    try {
      // An empty text is refused by some servers; a space means the same.
      const input = texts.map((text) => text || " ")
      const response = await limitFetch(fetch, limits)(target.url, {
        method: "POST",
        headers: target.headers,
        body: JSON.stringify({ ...target.request, input }),
        signal,
      })
      const body = await response.text()
      return response.ok ? readAnswer(body, texts.length) : readRefusal(clock, response, body)
    } catch (error) {
      const refused = refusedResponseIn(error)
      if (refused) return { outcome: "refused", reason: refused.message }
      const late = `it did not answer within ${Math.ceil(patienceMs / 1000)} seconds`
      const cause = error instanceof Error && error.cause !== undefined ? ` (${messageOf(error.cause)})` : ""
      return { outcome: "busy", reason: isLate() ? late : `${messageOf(error)}${cause}`, retryMs: undefined }
    }
  })
}

function readAnswer(body: string, count: number): Try {
  const parsed = answerSchema.safeParse(tryParseJson(body))
  if (!parsed.success) return { outcome: "refused", reason: "its answer is not that of an embedding server" }
  const { data } = parsed.data
  if (data.length !== count) {
    return { outcome: "refused", reason: `it gave ${data.length} vectors for ${count} texts` }
  }
  const inOrder = data.map((item, index) => ({ index: item.index ?? index, embedding: item.embedding }))
  const vectors = inOrder
    .toSorted((a, b) => a.index - b.index)
    .map(({ embedding }) => normalize(Float32Array.from(embedding)))
  return { outcome: "embedded", vectors }
}

function readRefusal(clock: Clock, { status, headers }: Response, body: string): Try {
  const detail = errorText(body)
  const reason = `it answered ${status}${detail === "" ? "" : `: ${detail}`}`
  if (status === 401 || status === 403) return { outcome: "refused", reason, see: "embedding.remote_key_env" }
  if (status !== 408 && status !== 429 && status < 500) return { outcome: "refused", reason }
  const wanted = readRetryAfter(headers.get("retry-after") ?? undefined, clock.now())
  return { outcome: "busy", reason, retryMs: wanted === undefined ? undefined : Math.max(0, wanted) }
}

const errorSchema = z.object({ error: z.union([z.string(), z.object({ message: z.string() })]) })

function errorText(body: string): string {
  const parsed = errorSchema.safeParse(tryParseJson(body))
  if (!parsed.success) return ""
  const { error } = parsed.data
  return (typeof error === "string" ? error : error.message).slice(0, 300)
}

function failed(reason: string, see = "embedding.remote_url"): UserError {
  return new UserError("failed", `The embedding server could not be used: ${reason}; see ${see}.`)
}
