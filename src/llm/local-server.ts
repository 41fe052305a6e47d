import { z } from "zod"
import type { Clock } from "../base/clock.ts"
import { codeOf, messageOf } from "../base/errors.ts"

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
}

const answerSchema = z.object({ data: z.array(z.object({ id: z.string() })) })

/** How long an answer is believed, and how long it may take to come. */
const believedMs = 60_000
const timeoutMs = 5000

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

async function look({ fetch, url, key }: LocalNeeds): ReturnType<LocalServer["models"]> {
  try {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
    const response = await fetch(`${url.replace(/\/$/, "")}/models`, {
      headers,
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (response.status === 401 || response.status === 403)
      return failed(`The server at ${url} wants a key; set the variable named by models.local_key_env.`)
    if (!response.ok)
      return failed(`The server at ${url} answers ${response.status} for /models; is models.local_url right?`)
    const { data } = answerSchema.parse(await response.json())
    return { outcome: "found", models: data.map(({ id }) => id) }
  } catch (error) {
    const reason = codeOf(error instanceof Error && error.cause ? error.cause : error) || messageOf(error)
    return failed(
      `The server at ${url} cannot be reached (${reason.slice(0, 100)}); is it running, and is models.local_url right?`,
    )
  }
}

function failed(reason: string): { outcome: "failed"; reason: string } {
  return { outcome: "failed", reason }
}
