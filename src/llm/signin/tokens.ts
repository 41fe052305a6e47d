import { z } from "zod"
import { parseJson } from "../../base/text/json.ts"

/** A stored ChatGPT sign-in. Times are milliseconds since 1970. */
export const chatgptSchema = z.object({
  idToken: z.string(),
  accessToken: z.string().min(1),
  refreshToken: z.string().min(1),
  accountId: z.string().min(1),
  /** OpenAI's name of the plan, such as plus; null if it does not say. */
  plan: z.string().nullable(),
  email: z.string().nullable(),
  expiresAt: z.int(),
  refreshedAt: z.int(),
  /** OpenAI no longer renews it. The tokens are kept, in case that is a mistake. */
  needsSignIn: z.boolean().default(false),
  /** Why a new sign-in is needed. */
  reason: z.string().nullable().default(null),
})
export type Chatgpt = z.output<typeof chatgptSchema>

/** The issuer's answer with tokens. A renewal omits what does not change. */
export const grantSchema = z.object({
  access_token: z.string().min(1),
  id_token: z.string().optional(),
  refresh_token: z.string().min(1).optional(),
  expires_in: z.number().positive().optional(),
})
export type Grant = z.output<typeof grantSchema>

/** The lifetime of a token whose expiry is unknown. */
const usualMs = 60 * 60_000

/** The sign-in of a first grant; undefined if the account or the refresh token is missing. */
export function chatgptFrom(grant: Grant, now: number): Chatgpt | undefined {
  const { accountId } = accountOf(grant)
  const { refresh_token: refreshToken } = grant
  if (accountId === null || refreshToken === undefined) return undefined
  return renewed({ idToken: "", refreshToken, accountId, plan: null, email: null }, grant, now)
}

/** The sign-in after a renewal. What the grant omits stays. */
export function renewed(
  before: Pick<Chatgpt, "idToken" | "refreshToken" | "accountId" | "plan" | "email">,
  grant: Grant,
  now: number,
): Chatgpt {
  const { accountId, plan, email } = accountOf(grant)
  return {
    idToken: grant.id_token ?? before.idToken,
    accessToken: grant.access_token,
    refreshToken: grant.refresh_token ?? before.refreshToken,
    accountId: accountId ?? before.accountId,
    plan: plan ?? before.plan,
    email: email ?? before.email,
    expiresAt: expiryOf(grant, now),
    refreshedAt: now,
    needsSignIn: false,
    reason: null,
  }
}

const claimsSchema = z.object({
  exp: z.number().optional(),
  email: z.string().optional(),
  "https://api.openai.com/auth": z
    .object({ chatgpt_account_id: z.string().optional(), chatgpt_plan_type: z.string().optional() })
    .optional(),
  "https://api.openai.com/profile": z.object({ email: z.string().optional() }).optional(),
})
type Claims = z.output<typeof claimsSchema>

/** The account that the tokens belong to, from either token. */
function accountOf(grant: Grant): { accountId: string | null; plan: string | null; email: string | null } {
  const all = [claimsOf(grant.id_token ?? ""), claimsOf(grant.access_token)]
  const first = (pick: (claims: Claims) => string | undefined) =>
    all.map(pick).find((value) => value !== undefined && value !== "") ?? null
  return {
    accountId: first((claims) => claims["https://api.openai.com/auth"]?.chatgpt_account_id),
    plan: first((claims) => claims["https://api.openai.com/auth"]?.chatgpt_plan_type),
    email: first((claims) => claims.email ?? claims["https://api.openai.com/profile"]?.email),
  }
}

/** A lifetime is counted on our own clock, so that a wrong clock does no harm. */
function expiryOf(grant: Grant, now: number): number {
  if (grant.expires_in !== undefined) return now + Math.round(grant.expires_in * 1000)
  const { exp } = claimsOf(grant.access_token)
  return exp === undefined ? now + usualMs : Math.round(exp * 1000)
}

/** The claims of a JSON Web Token. It comes straight from the issuer and is only displayed: no signature check. */
function claimsOf(token: string): Claims {
  try {
    const body = Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")
    return claimsSchema.parse(parseJson(body))
  } catch {
    return {}
  }
}
