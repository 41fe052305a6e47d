import { z } from "zod"
import { parseJson } from "../../base/text/json.ts"

/** A ChatGPT sign-in as it is kept. Times are milliseconds since 1970. */
export const chatgptSchema = z.object({
  idToken: z.string(),
  accessToken: z.string().min(1),
  refreshToken: z.string().min(1),
  accountId: z.string().min(1),
  /** The plan as OpenAI names it, such as plus; null where it does not say. */
  plan: z.string().nullable(),
  email: z.string().nullable(),
  expiresAt: z.int(),
  refreshedAt: z.int(),
  /** OpenAI no longer renews it. The tokens stay, so that nothing is lost by a mistake of theirs or ours. */
  needsSignIn: z.boolean().default(false),
  /** Why a new sign-in is needed. */
  reason: z.string().nullable().default(null),
})
export type Chatgpt = z.output<typeof chatgptSchema>

/** What the issuer answers when it grants tokens. On a renewal it leaves out what stays as it was. */
export const grantSchema = z.object({
  access_token: z.string().min(1),
  id_token: z.string().optional(),
  refresh_token: z.string().min(1).optional(),
  expires_in: z.number().positive().optional(),
})
export type Grant = z.output<typeof grantSchema>

/** How long a token counts as valid if nobody says. */
const usualMs = 60 * 60_000

/** A sign-in from a first grant; undefined if it lacks what asking models needs. */
export function chatgptFrom(grant: Grant, now: number): Chatgpt | undefined {
  const { accountId } = accountOf(grant)
  const { refresh_token: refreshToken } = grant
  if (accountId === null || refreshToken === undefined) return undefined
  return renewed({ idToken: "", refreshToken, accountId, plan: null, email: null }, grant, now)
}

/** A sign-in after a renewal: what the grant does not name stays. */
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

/** Whose the tokens are. Either token may tell. */
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

/** The issuer's own span is counted on our clock, so that a clock that is wrong does no harm. */
function expiryOf(grant: Grant, now: number): number {
  if (grant.expires_in !== undefined) return now + Math.round(grant.expires_in * 1000)
  const { exp } = claimsOf(grant.access_token)
  return exp === undefined ? now + usualMs : Math.round(exp * 1000)
}

/** What a JSON Web Token says. It came straight from the issuer and is only shown, so its seal is not checked. */
function claimsOf(token: string): Claims {
  try {
    const body = Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")
    return claimsSchema.parse(parseJson(body))
  } catch {
    return {}
  }
}
