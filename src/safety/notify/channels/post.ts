import { codeOf } from "../../../base/errors.ts"
import { limitFetch, refusedResponseIn } from "../../../base/net/limit-fetch.ts"
import { withTimeout } from "../../../base/with-timeout.ts"
import type { HttpOptions } from "../../../llm/sdk/sdk-access.ts"
import type { SendResult } from "../notice.ts"

export type HttpClient = Pick<HttpOptions, "clock" | "fetch">

/** The host and port of an address. */
export function serverOf(address: string): { host: string; port: number } {
  const { hostname, port, protocol } = new URL(address)
  const host = hostname.replace(/^\[|\]$/g, "")
  return { host, port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port) }
}

const timeoutMs = 20_000
/** The server was not reached, so the notice was not delivered. */
const notReached = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
])

/** Posts a notice. Redirects are not followed, because the request contains a key and private text. */
export async function post(
  { clock, fetch }: HttpClient,
  url: string,
  { headers, body }: { headers: Record<string, string>; body: string },
  { signal, deduplicates }: { signal: AbortSignal; deduplicates: boolean },
): Promise<SendResult> {
  return withTimeout(clock, timeoutMs, signal, async (either, isLate) => {
    try {
      const limited = limitFetch(fetch, { mostBytes: 1_000_000, redirects: "nowhere" })
      const response = await limited(url, { method: "POST", headers, body, signal: either })
      await response.body?.cancel()
      return resultOf(response.status, deduplicates)
    } catch (error) {
      const refused = refusedResponseIn(error)
      if (refused)
        return { outcome: "failed", reason: `the server was not used: ${refused.message}`, retry: false }
      const code = innermostCode(error)
      if (notReached.has(code))
        return { outcome: "failed", reason: `the server cannot be reached (${code})`, retry: true }
      const reason = isLate() ? "the server did not answer in time" : "the connection broke"
      return lost(`${reason}${code === "" ? "" : ` (${code})`}`, deduplicates)
    }
  })
}

function resultOf(status: number, deduplicates: boolean): SendResult {
  if (status >= 200 && status < 300) return { outcome: "sent" }
  const reason = `the server answered ${status}`
  if (status === 429 || status === 503) return { outcome: "failed", reason, retry: true }
  if (status >= 500) return lost(reason, deduplicates)
  return { outcome: "failed", reason, retry: false }
}

/** If the receiver deduplicates, the notice may be sent again; otherwise it must not be sent twice. */
function lost(reason: string, deduplicates: boolean): SendResult {
  return deduplicates ? { outcome: "failed", reason, retry: true } : { outcome: "unknown", reason }
}

function innermostCode(error: unknown): string {
  let found = error
  while (found instanceof Error && codeOf(found) === "" && found.cause !== undefined) found = found.cause
  return codeOf(found)
}
