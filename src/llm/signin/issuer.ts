import { z } from "zod"
import type { Clock } from "../../base/clock.ts"
import { messageOf, UserError } from "../../base/errors.ts"
import { limitFetch } from "../../base/net/limit-fetch.ts"
import { isLoopback, problemWithAddress } from "../../base/net/web-address.ts"
import { parseJson } from "../../base/text/json.ts"
import { shorten } from "../../base/text/text.ts"
import { within } from "../../base/within.ts"
import { type Grant, grantSchema } from "./tokens.ts"

/** Where one signs in with ChatGPT. */
export const openaiIssuer = "https://auth.openai.com"

/** The public client that OpenAI's own command line uses; the issuer knows no other for programs on a desk. */
const clientId = "app_EMoamEEZ73f0CkXaXp7hrann"
const scope = "openid profile email offline_access"

/** How long the issuer may take for one answer. */
const requestMs = 30_000
/** Tokens are short, and a redirect would carry the secrets to wherever it points. */
const limits = { mostBytes: 1024 * 1024, redirects: "nowhere" } as const

export interface IssuerNeeds {
  clock: Clock
  fetch: typeof fetch
  /** Its address without a slash at the end. */
  issuer: string
}

/** What came of asking for tokens. */
export type Granted =
  | { outcome: "granted"; grant: Grant }
  /** The issuer said no for good; the code is its own word for why. */
  | { outcome: "refused"; status: number; code: string; reason: string }
  /** It did not answer, or not with anything of use; later it may. */
  | { outcome: "unanswered"; status: number | null; reason: string }

/** The address of the issuer, from the environment or OpenAI's; tokens go nowhere that others could listen. */
export function issuerOf(given: string | undefined): string {
  if (given === undefined) return openaiIssuer
  const isSafe = /^https:/i.test(given) || isLoopback(given)
  if (isSafe && problemWithAddress(given) === undefined) return given.replace(/\/+$/, "")
  throw new UserError("config", "REVERIE_OPENAI_ISSUER must be an https address; correct or unset it.")
}

/** One sign-in under way: what only this process knows. */
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

/** Changes the code that the browser brought into tokens. */
export function exchangeCode(needs: IssuerNeeds, code: string, attempt: Attempt): Promise<Granted> {
  return askForTokens(needs, "authorization_code", {
    code,
    redirect_uri: attempt.redirectUri,
    code_verifier: attempt.verifier,
  })
}

/** Has tokens renewed. The issuer usually takes the old refresh token out of use and gives another. */
export function renew(needs: IssuerNeeds, refreshToken: string): Promise<Granted> {
  return askForTokens(needs, "refresh_token", { refresh_token: refreshToken })
}

/** Tells the issuer that a sign-in is over. Tells whether it took note. */
export async function revoke(needs: IssuerNeeds, refreshToken: string): Promise<boolean> {
  const body = JSON.stringify({ token: refreshToken, token_type_hint: "refresh_token", client_id: clientId })
  const headers = { "content-type": "application/json" }
  const answered = await post(needs, "/oauth/revoke", { headers, body })
  return "status" in answered && answered.status < 300
}

async function askForTokens(
  needs: IssuerNeeds,
  kind: "authorization_code" | "refresh_token",
  fields: Record<string, string>,
): Promise<Granted> {
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

/** An issuer that quotes what it was sent must not bring it into a message. */
function without(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, "[removed]"), text)
}

type Answered = { status: number; text: string } | { unanswered: string }

async function post(
  { clock, fetch, issuer }: IssuerNeeds,
  path: string,
  request: { headers: Record<string, string>; body: string },
): Promise<Answered> {
  const never = new AbortController().signal
  return within(clock, requestMs, never, async (signal, isLate) => {
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

/** Node says only "fetch failed" and hides why below. */
function networkReason(error: unknown): string {
  return messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error)
}

function readGrant(status: number, text: string): Granted {
  try {
    return { outcome: "granted", grant: grantSchema.parse(parseJson(text)) }
  } catch {
    return { outcome: "unanswered", status, reason: "it answered with something else than tokens" }
  }
}

/** Both forms in use: the standard's flat one, and OpenAI's own with an object. */
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
