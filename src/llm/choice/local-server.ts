import { z } from "zod"
import type { Clock } from "../../base/clock.ts"
import { codeOf, messageOf, tooManyFiles } from "../../base/errors.ts"
import { limitFetch, refusedAnswerIn } from "../../base/net/limit-fetch.ts"

/** The user's own server of models. */
export interface LocalServer {
  /** What it has; asked anew after a while. */
  models(): Promise<{ outcome: "found"; models: string[] } | { outcome: "failed"; reason: string }>
}

interface LocalNeeds {
  clock: Clock
  fetch: typeof fetch
  url: string
  key: string | undefined
  /** Why nothing may be sent there, in a sentence; undefined if it may. */
  problem: string | undefined
}

const answerSchema = z.object({ data: z.array(z.object({ id: z.string() })) })

/** How long an answer is believed, and how long it may take to come. */
const believedMs = 60_000
const timeoutMs = 5000
const limits = { mostBytes: 4 * 1024 * 1024, redirects: "same-origin" } as const

/** Looks at a server that answers like OpenAI's /v1/models. */
export function openLocalServer(needs: LocalNeeds): LocalServer {
  let known: { until: number; answer: ReturnType<LocalServer["models"]> } | undefined
  return {
    models() {
      const now = needs.clock.now()
      if (known === undefined || known.until <= now) known = { until: now + believedMs, answer: look(needs) }
      return known.answer
    },
  }
}

async function look({ fetch, url, key, problem }: LocalNeeds): ReturnType<LocalServer["models"]> {
  if (problem !== undefined) return failed(problem)
  try {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
    const response = await limitFetch(fetch, limits)(`${url.replace(/\/$/, "")}/models`, {
      headers,
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (response.status === 401 || response.status === 403)
      return failed(`The server at ${url} wants a key; set the variable named by models.local_key_env.`)
    if (!response.ok)
      return failed(`The server at ${url} answers ${response.status} for /models; is models.local_url right?`)
    const { data } = answerSchema.parse(await response.json())
    return { outcome: "found", models: data.map(({ id }) => id).filter(isModelName) }
  } catch (error) {
    const refused = refusedAnswerIn(error)
    if (refused) return failed(`The server at ${url} cannot be used: ${refused.message}.`)
    const full = tooManyFiles(error)
    if (full) return failed(full.message)
    const reason = codeOf(error instanceof Error && error.cause ? error.cause : error) || messageOf(error)
    return failed(
      `The server at ${url} cannot be reached (${reason.slice(0, 100)}); is it running, and is models.local_url right?`,
    )
  }
}

/** A name is shown and sent on; what no model is called is left out. */
function isModelName(id: string): boolean {
  return /^[^\p{C}]{1,200}$/u.test(id)
}

function failed(reason: string): { outcome: "failed"; reason: string } {
  return { outcome: "failed", reason }
}
