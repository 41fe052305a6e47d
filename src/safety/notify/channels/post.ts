import type { Clock } from "../../../base/clock.ts"
import { codeOf } from "../../../base/errors.ts"
import { limitFetch, refusedAnswerIn } from "../../../base/net/limit-fetch.ts"
import { within } from "../../../base/within.ts"
import type { Sent } from "../notice.ts"

export interface PostNeeds {
  clock: Clock
  fetch: typeof globalThis.fetch
}

/** Where the server of an address listens. */
export function serverOf(address: string): { host: string; port: number } {
  const { hostname, port, protocol } = new URL(address)
  const host = hostname.replace(/^\[|\]$/g, "")
  return { host, port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port) }
}

const patienceMs = 20_000
/** Nobody was reached, so nobody has it. */
const notReached = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
])

/** Posts a notice. Redirects are not followed: what is sent carries a key, and words of the person's. */
export async function post(
  { clock, fetch }: PostNeeds,
  url: string,
  { headers, body }: { headers: Record<string, string>; body: string },
  { signal, knowsAgain }: { signal: AbortSignal; knowsAgain: boolean },
): Promise<Sent> {
  return within(clock, patienceMs, signal, async (either, isLate) => {
    try {
      const limited = limitFetch(fetch, { mostBytes: 1_000_000, redirects: "nowhere" })
      const response = await limited(url, { method: "POST", headers, body, signal: either })
      await response.body?.cancel()
      return judged(response.status, knowsAgain)
    } catch (error) {
      const refused = refusedAnswerIn(error)
      if (refused)
        return { outcome: "failed", reason: `the server was not used: ${refused.message}`, retry: false }
      const code = innermostCode(error)
      if (notReached.has(code))
        return { outcome: "failed", reason: `the server cannot be reached (${code})`, retry: true }
      const reason = isLate() ? "the server did not answer in time" : "the connection broke"
      return lost(`${reason}${code === "" ? "" : ` (${code})`}`, knowsAgain)
    }
  })
}

function judged(status: number, knowsAgain: boolean): Sent {
  if (status >= 200 && status < 300) return { outcome: "sent" }
  const reason = `the server answered ${status}`
  if (status === 429 || status === 503) return { outcome: "failed", reason, retry: true }
  if (status >= 500) return lost(reason, knowsAgain)
  return { outcome: "failed", reason, retry: false }
}

/** A receiver that knows a notice again may get it again; another one must not get it twice. */
function lost(reason: string, knowsAgain: boolean): Sent {
  return knowsAgain ? { outcome: "failed", reason, retry: true } : { outcome: "unknown", reason }
}

function innermostCode(error: unknown): string {
  let found = error
  while (found instanceof Error && codeOf(found) === "" && found.cause !== undefined) found = found.cause
  return codeOf(found)
}
