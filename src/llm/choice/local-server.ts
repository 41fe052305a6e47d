import { z } from "zod"
import { codeOf, messageOf, tooManyFilesError } from "../../base/errors.ts"
import { limitFetch, refusedResponseIn } from "../../base/net/limit-fetch.ts"
import type { Core } from "../../storage/core.ts"
import type { Address } from "./addresses.ts"

/** The user's own model server. */
export interface LocalServer {
  /** The models it serves. Cached for a minute. */
  models(): Promise<{ outcome: "found"; models: string[] } | { outcome: "failed"; reason: string }>
}

interface LocalServerOptions extends Address, Pick<Core, "clock"> {
  fetch: typeof fetch
  key: string | undefined
}

const answerSchema = z.object({ data: z.array(z.object({ id: z.string() })) })

/** How long an answer is cached, and how long the server may take. */
const cachedMs = 60_000
const timeoutMs = 5000
const limits = { mostBytes: 4 * 1024 * 1024, redirects: "same-origin" } as const

/** Asks a server with an API like OpenAI's /v1/models. */
export function openLocalServer(needs: LocalServerOptions): LocalServer {
  let known: { until: number; answer: ReturnType<LocalServer["models"]> } | undefined
  return {
    models() {
      const now = needs.clock.now()
      if (known === undefined || known.until <= now)
        known = { until: now + cachedMs, answer: askModels(needs) }
      return known.answer
    },
  }
}

async function askModels({
  fetch,
  url,
  key,
  problem,
}: LocalServerOptions): ReturnType<LocalServer["models"]> {
  if (problem !== undefined) return failed(problem)
  try {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
    const response = await limitFetch(fetch, limits)(`${url.replace(/\/$/, "")}/models`, {
      headers,
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (response.status === 401 || response.status === 403)
      return failed(`The server at ${url} requires a key; set the variable named by models.local_key_env.`)
    if (!response.ok)
      return failed(`The server at ${url} answers ${response.status} for /models; is models.local_url right?`)
    const { data } = answerSchema.parse(await response.json())
    return { outcome: "found", models: data.map(({ id }) => id).filter(isModelName) }
  } catch (error) {
    const refused = refusedResponseIn(error)
    if (refused) return failed(`The server at ${url} cannot be used: ${refused.message}.`)
    const full = tooManyFilesError(error)
    if (full) return failed(full.message)
    const reason = codeOf(error instanceof Error && error.cause ? error.cause : error) || messageOf(error)
    return failed(
      `The server at ${url} cannot be reached (${reason.slice(0, 100)}); is it running, and is models.local_url right?`,
    )
  }
}

/** Model names are displayed and sent on, so anything unprintable is dropped. */
function isModelName(id: string): boolean {
  return /^[^\p{C}]{1,200}$/u.test(id)
}

function failed(reason: string): { outcome: "failed"; reason: string } {
  return { outcome: "failed", reason }
}
