import { z } from "zod"
import type { Clock } from "../../base/clock.ts"
import { messageOf, UserError } from "../../base/errors.ts"
import { limitFetch } from "../../base/net/limit-fetch.ts"
import { isLoopback, problemWithAddress } from "../../base/net/web-address.ts"
import { parseJson } from "../../base/text/json.ts"
import { shorten } from "../../base/text/text.ts"
import { withTimeout } from "../../base/with-timeout.ts"
import { type Grant, grantSchema } from "./tokens.ts"

export const openaiIssuer = "https://auth.openai.com"

/** The public client id of OpenAI's own command line; the issuer knows no other for local programs. */
const clientId = "app_EMoamEEZ73f0CkXaXp7hrann"
const scope = "openid profile email offline_access"

/** The timeout of one request. */
const requestMs = 30_000
/** Token answers are short, and a redirect would carry secrets to another server. */
const limits = { mostBytes: 1024 * 1024, redirects: "nowhere" } as const

export interface IssuerClient {
  clock: Clock
  fetch: typeof fetch
  /** Its address, without a trailing slash. */
  issuer: string
}

/** The result of a token request. */
export type TokenAnswer =
  | { outcome: "granted"; grant: Grant }
  /** A final refusal; `code` is the issuer's error code. */
  | { outcome: "refused"; status: number; code: string; reason: string }
  /** No usable answer; it may work later. */
  | { outcome: "unanswered"; status: number | null; reason: string }

/** The issuer's address, from the environment or OpenAI's. It must be https or loopback. */
export function issuerOf(address: string | undefined): string {
  if (address === undefined) return openaiIssuer
  const isSafe = /^https:/i.test(address) || isLoopback(address)
  if (isSafe && problemWithAddress(address) === undefined) return address.replace(/\/+$/, "")
  throw new UserError("config", "REVERIE_OPENAI_ISSUER must be an https address; correct or unset it.")
}

/** One sign-in in progress, with its secrets. */
export interface Attempt {
  state: string
  verifier: string
  challenge: string
  redirectUri: string
}

/** The address to open in a browser. */
export function authorizeUrl(issuer: string, { state, challenge, redirectUri }: Attempt): string {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    code_challenge: challenge,
    code_challenge_method: "S256",
    state,
    id_token_add_organizations: "true",
    codex_cli_simplified_flow: "true",
    originator: "reverie",
  })
  return `${issuer}/oauth/authorize?${query}`
}

/** Exchanges the code of the callback for tokens. */
export function exchangeCode(needs: IssuerClient, code: string, attempt: Attempt): Promise<TokenAnswer> {
  return askForTokens(needs, "authorization_code", {
    code,
    redirect_uri: attempt.redirectUri,
    code_verifier: attempt.verifier,
  })
}

/** Renews tokens. The issuer usually replaces the refresh token. */
export function renew(needs: IssuerClient, refreshToken: string): Promise<TokenAnswer> {
  return askForTokens(needs, "refresh_token", { refresh_token: refreshToken })
}

/** Revokes a sign-in at the issuer. Returns whether it succeeded. */
export async function revoke(needs: IssuerClient, refreshToken: string): Promise<boolean> {
  const body = JSON.stringify({ token: refreshToken, token_type_hint: "refresh_token", client_id: clientId })
  const headers = { "content-type": "application/json" }
  const answered = await post(needs, "/oauth/revoke", { headers, body })
  return "status" in answered && answered.status < 300
}

async function askForTokens(
  needs: IssuerClient,
  kind: "authorization_code" | "refresh_token",
  fields: Record<string, string>,
): Promise<TokenAnswer> {
  const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" }
  const body = new URLSearchParams({ grant_type: kind, client_id: clientId, ...fields }).toString()
  const answered = await post(needs, "/oauth/token", { headers, body })
  if ("unanswered" in answered) return { outcome: "unanswered", status: null, reason: answered.unanswered }
  const { status, text } = answered
  if (status < 300) return readGrant(status, text)
  const { code, reason } = readRefusal(without(text, Object.values(fields)))
  if (status === 429 || status >= 500 || code === "temporarily_unavailable")
    return { outcome: "unanswered", status, reason: `it answered ${status}` }
  return { outcome: "refused", status, code, reason: reason || code || `it answered ${status}` }
}

/** The issuer's answer may quote our secrets; they must not get into a message. */
function without(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, "[removed]"), text)
}

type Answered = { status: number; text: string } | { unanswered: string }

async function post(
  { clock, fetch, issuer }: IssuerClient,
  path: string,
  request: { headers: Record<string, string>; body: string },
): Promise<Answered> {
  const never = new AbortController().signal
  return withTimeout(clock, requestMs, never, async (signal, isLate) => {
    try {
      const response = await limitFetch(fetch, limits)(`${issuer}${path}`, {
        method: "POST",
        signal,
        ...request,
      })
      return { status: response.status, text: await response.text() }
    } catch (error) {
      return { unanswered: isLate() ? "it took too long" : networkReason(error) }
    }
  })
}

/** Node only says "fetch failed"; the cause has the reason. */
function networkReason(error: unknown): string {
  return messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error)
}

function readGrant(status: number, text: string): TokenAnswer {
  try {
    return { outcome: "granted", grant: grantSchema.parse(parseJson(text)) }
  } catch {
    return { outcome: "unanswered", status, reason: "its answer contains no tokens" }
  }
}

/** The standard's flat form, and OpenAI's own with an object. */
const refusalSchema = z.object({
  error: z.union([z.string(), z.object({ code: z.string().nullish(), message: z.string().nullish() })]),
  error_description: z.string().nullish(),
})

function readRefusal(text: string): { code: string; reason: string } {
  try {
    const { error, error_description } = refusalSchema.parse(parseJson(text))
    if (typeof error === "string") return { code: error, reason: shorten(error_description ?? "", 200) }
    return { code: error.code ?? "", reason: shorten(error.message ?? "", 200) }
  } catch {
    return { code: "", reason: "" }
  }
}
