import { createHash } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { text } from "node:stream/consumers"
import { systemRandom } from "../src/base/random.ts"
import { serveHttp } from "./http-server.ts"

/** What the issuer does next; tests change it as they go. */
interface IssuerScript {
  /** How long the tokens of a sign-in, and those of a renewal, are good for. */
  seconds: number
  renewedSeconds: number
  /** Whether a renewal takes the old refresh token out of use and gives another. */
  rotates: boolean
  /** What the browser is sent back with instead of a code. */
  denial: { error: string; description?: string } | undefined
  /** The browser brings back another state than it was given. */
  twistsState: boolean
  /** What the token endpoint does instead of answering as it should. */
  fault: "none" | "busy" | "limited" | "cut" | "nonsense" | "unknown-refusal" | "never-answers"
  /** A renewal waits for this before it is answered. */
  hold: Promise<void>
  /** Whether the tokens name an account. */
  hasAccount: boolean
}

/** An issuer of tokens like OpenAI's, on a real port of this machine. */
export interface ScriptedIssuer {
  url: string
  script: IssuerScript
  /** Kinds of grants asked for, in order. */
  asked: string[]
  /** How often a refresh token came that was out of use. */
  reused: number
  /** Refresh tokens whose end was told. */
  revoked: string[]
  /** Everything it gave out that nobody else may see. */
  secrets: string[]
  /** Ends a sign-in, as a user does in their settings. */
  endAll(): void
}

const clientId = "app_EMoamEEZ73f0CkXaXp7hrann"

/** What goes back over the wire; "cut" and "silence" are not answers at all. */
type Reply = { status: number; headers?: Record<string, string>; body: object | string } | "cut" | "silence"

/** What the issuer remembers. */
interface Memory {
  codes: Map<string, { challenge: string; redirectUri: string }>
  /** Refresh tokens that come from one sign-in: one is in use, and an older one that comes again ends them all. */
  families: Map<string, { inUse: string; hasEnded: boolean }>
}

/** Starts one; it stops after the test. */
export async function startIssuer(script: Partial<IssuerScript> = {}): Promise<ScriptedIssuer> {
  const memory: Memory = { codes: new Map(), families: new Map() }
  const issuer: ScriptedIssuer = {
    url: "",
    script: { ...usual, ...script },
    asked: [],
    reused: 0,
    revoked: [],
    secrets: [],
    endAll() {
      for (const family of memory.families.values()) family.hasEnded = true
    },
  }
  issuer.url = await serveHttp(async (request, response) => {
    const reply = await replyTo(issuer, memory, request)
    if (reply === "silence") return
    if (reply === "cut") return void response.destroy()
    const { status, headers = {}, body } = reply
    response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body))
  })
  return issuer
}

const usual: IssuerScript = {
  seconds: 3600,
  renewedSeconds: 3600,
  rotates: true,
  denial: undefined,
  twistsState: false,
  fault: "none",
  hold: Promise.resolve(),
  hasAccount: true,
}

async function replyTo(issuer: ScriptedIssuer, memory: Memory, request: IncomingMessage): Promise<Reply> {
  const url = new URL(request.url ?? "/", "http://issuer")
  switch (`${request.method} ${url.pathname}`) {
    case "GET /oauth/authorize":
      return authorize(issuer, memory, url.searchParams)
    case "POST /oauth/token":
      return giveTokens(issuer, memory, new URLSearchParams(await text(request)))
    case "POST /oauth/revoke":
      issuer.revoked.push(JSON.parse(await text(request)).token)
      return { status: 200, body: {} }
    default:
      return { status: 404, body: { error: "not_found" } }
  }
}

const wanted: Record<string, RegExp> = {
  client_id: new RegExp(`^${clientId}$`),
  response_type: /^code$/,
  redirect_uri: /^http:\/\/localhost:\d+\/auth\/callback$/,
  scope: /^openid profile email offline_access$/,
  code_challenge: /^[\w-]{43}$/,
  code_challenge_method: /^S256$/,
  state: /^[\w-]{32,}$/,
  id_token_add_organizations: /^true$/,
  codex_cli_simplified_flow: /^true$/,
  originator: /^reverie$/,
}

function authorize(issuer: ScriptedIssuer, { codes }: Memory, given: URLSearchParams): Reply {
  const wrong = Object.entries(wanted).find(([name, form]) => !form.test(given.get(name) ?? ""))
  if (wrong) return { status: 400, body: { error: "invalid_request", error_description: wrong[0] } }
  const { denial, twistsState } = issuer.script
  const redirectUri = given.get("redirect_uri") ?? ""
  const code = secretOf(issuer, "ac_")
  codes.set(code, { challenge: given.get("code_challenge") ?? "", redirectUri })
  const state = twistsState ? "another-state-altogether" : (given.get("state") ?? "")
  const told: Record<string, string> = denial
    ? { error: denial.error, error_description: denial.description ?? "", state }
    : { code, state }
  return { status: 302, headers: { location: `${redirectUri}?${new URLSearchParams(told)}` }, body: "" }
}

async function giveTokens(issuer: ScriptedIssuer, memory: Memory, given: URLSearchParams): Promise<Reply> {
  const kind = given.get("grant_type") ?? ""
  issuer.asked.push(kind)
  const quoted = given.get("refresh_token") ?? given.get("code")
  const fault = faults[issuer.script.fault]
  if (fault) return fault(quoted ?? "")
  if (given.get("client_id") !== clientId) return { status: 401, body: { error: "invalid_client" } }
  if (kind === "authorization_code") return exchange(issuer, memory, given)
  await issuer.script.hold
  return renew(issuer, memory, given.get("refresh_token") ?? "")
}

const faults: Record<IssuerScript["fault"], ((quoted: string) => Reply) | undefined> = {
  none: undefined,
  busy: () => ({ status: 503, body: { error: "server_error" } }),
  limited: () => ({ status: 429, body: { error: "slow_down" } }),
  cut: () => "cut",
  nonsense: () => ({ status: 200, body: "<html>Just a moment…</html>" }),
  "unknown-refusal": (quoted) => ({
    status: 401,
    body: { error: "invalid_client", error_description: `not with ${quoted}` },
  }),
  "never-answers": () => "silence",
}

function exchange(issuer: ScriptedIssuer, { codes, families }: Memory, given: URLSearchParams): Reply {
  const code = codes.get(given.get("code") ?? "")
  codes.delete(given.get("code") ?? "")
  const verifier = given.get("code_verifier") ?? ""
  const isOurs = code?.challenge === createHash("sha256").update(verifier).digest("base64url")
  if (!isOurs || code.redirectUri !== given.get("redirect_uri"))
    return { status: 400, body: { error: "invalid_grant", error_description: "The code is not valid." } }
  const family = secretOf(issuer, "rt_")
  families.set(family, { inUse: `${family}.0`, hasEnded: false })
  return { status: 200, body: grantOf(issuer, issuer.script.seconds, `${family}.0`) }
}

function renew(issuer: ScriptedIssuer, { families }: Memory, token: string): Reply {
  const [name = "", number = "0"] = token.split(".")
  const family = families.get(name)
  if (family === undefined || family.hasEnded)
    return refusal("refresh_token_invalidated", "Your session has ended.")
  if (family.inUse !== token) {
    issuer.reused += 1
    family.hasEnded = true
    return refusal("refresh_token_reused", `The token ${token} was used before.`)
  }
  const { rotates, renewedSeconds } = issuer.script
  if (!rotates) return { status: 200, body: grantOf(issuer, renewedSeconds, undefined) }
  family.inUse = `${name}.${Number(number) + 1}`
  return { status: 200, body: grantOf(issuer, renewedSeconds, family.inUse) }
}

function refusal(code: string, message: string): Reply {
  return { status: 401, body: { error: { code, message } } }
}

function grantOf(issuer: ScriptedIssuer, seconds: number, refresh: string | undefined): object {
  const account = { chatgpt_account_id: "acc-7", chatgpt_plan_type: "plus" }
  const auth = issuer.script.hasAccount ? { "https://api.openai.com/auth": account } : {}
  return {
    access_token: jwtOf(issuer, auth),
    id_token: jwtOf(issuer, { email: "ada@example.org", ...auth }),
    expires_in: seconds,
    ...(refresh === undefined ? {} : { refresh_token: refresh }),
  }
}

function jwtOf(issuer: ScriptedIssuer, claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
  return `${part({ alg: "none" })}.${part(claims)}.${secretOf(issuer, "seal")}`
}

function secretOf(issuer: ScriptedIssuer, beginning: string): string {
  const made = `${beginning}${Buffer.from(systemRandom.bytes(24)).toString("base64url")}`
  issuer.secrets.push(made)
  return made
}
