import { UserError } from "../../base/errors.ts"
import type { Failure } from "../failure.ts"
import { type CredentialStore, type Credentials, changeCredentials, readCredentials } from "./credentials.ts"
import { type IssuerClient, renew, revoke } from "./issuer.ts"
import { type Chatgpt, renewed } from "./tokens.ts"

export interface ChatgptClient extends CredentialStore, IssuerClient {}

/** What a call to OpenAI's models has to send, or why there is no sign-in. */
type ChatgptAccess =
  | { outcome: "valid"; accessToken: string; accountId: string }
  | { outcome: "failed"; failure: Failure }

/** The ChatGPT sign-in of this installation. */
interface ChatgptSignIn {
  /** A valid token, renewed in time. Concurrent callers share one renewal. */
  access(): Promise<ChatgptAccess>
}

/** When a token is renewed before its expiry, and the shortest remaining time with which it is still used. */
const renewBeforeMs = 5 * 60_000
const minimumMs = 30_000

/** Error codes that end a refresh token. Any other error may be temporary. */
const finalCodes: readonly string[] = [
  "invalid_grant",
  "refresh_token_expired",
  "refresh_token_reused",
  "refresh_token_invalidated",
  "refresh_token_revoked",
]

/** Opens the sign-in. The file is read at each use, because other processes renew it too. */
export function openChatgpt(needs: ChatgptClient): ChatgptSignIn {
  let underWay: Promise<ChatgptAccess> | undefined
  const shared = () => {
    underWay ??= renewUnderLock(needs).finally(() => {
      underWay = undefined
    })
    return underWay
  }
  return {
    async access() {
      let now: Chatgpt | undefined
      try {
        now = readCredentials(needs.credentialsFile).chatgpt
        if (now === undefined) return notSignedIn()
        return isRenewable(needs, now) ? await shared() : tokenOrEnded(needs, now)
      } catch (error) {
        const failure = fileFailure(error)
        return now === undefined ? { outcome: "failed", failure } : tokenOr(needs, now, failure)
      }
    },
  }
}

function isRenewable({ clock }: ChatgptClient, { expiresAt, needsSignIn }: Chatgpt): boolean {
  return !needsSignIn && expiresAt - clock.now() <= renewBeforeMs
}

/** A problem with the file or its lock. Any other error is a bug. */
function fileFailure(error: unknown): Failure {
  if (!(error instanceof UserError)) throw error
  return { kind: error.kind === "conflict" ? "timeout" : "auth", message: error.message }
}

/**
 * Renews the tokens unless another process just did. Tokens that may still be valid are never dropped. Taking the lock
 * writes into the same folder, so a disk that cannot store the new tokens is found before the old ones are used up.
 */
function renewUnderLock(needs: ChatgptClient): Promise<ChatgptAccess> {
  return changeCredentials(needs, async (credentials, save) => {
    const before = credentials.chatgpt
    if (before === undefined) return notSignedIn()
    if (!isRenewable(needs, before)) return tokenOrEnded(needs, before)
    const answer = await renew(needs, before.refreshToken)
    if (answer.outcome === "granted") {
      const after = renewed(before, answer.grant, needs.clock.now())
      save({ ...credentials, chatgpt: after })
      return valid(after)
    }
    if (answer.outcome === "unanswered") return tokenOr(needs, before, unanswered(answer))
    if (!finalCodes.includes(answer.code)) return tokenOr(needs, before, refused(answer))
    return ended(needs, before, answer.reason, save)
  })
}

/** The issuer ended the sign-in. A process without our lock (an older version, a restored file) may have renewed it. */
function ended(
  needs: ChatgptClient,
  before: Chatgpt,
  reason: string,
  save: (credentials: Credentials) => void,
): ChatgptAccess {
  const credentials = readCredentials(needs.credentialsFile)
  const now = credentials.chatgpt
  if (now === undefined) return notSignedIn()
  if (now.refreshToken !== before.refreshToken) return tokenOrEnded(needs, now)
  const marked = { ...now, needsSignIn: true, reason }
  save({ ...credentials, chatgpt: marked })
  return tokenOrEnded(needs, marked)
}

function tokenOrEnded(needs: ChatgptClient, chatgpt: Chatgpt): ChatgptAccess {
  const reason = chatgpt.reason ? ` (${chatgpt.reason.replace(/\.$/, "")})` : ""
  const message = `The ChatGPT sign-in has ended${reason}; run \`reverie login chatgpt\`.`
  return tokenOr(needs, chatgpt, { kind: "auth", message })
}

/** The token if it is valid long enough, else the failure. */
function tokenOr({ clock }: ChatgptClient, chatgpt: Chatgpt, failure: Failure): ChatgptAccess {
  if (chatgpt.expiresAt - clock.now() < minimumMs) return { outcome: "failed", failure }
  return valid(chatgpt)
}

function valid({ accessToken, accountId }: Chatgpt): ChatgptAccess {
  return { outcome: "valid", accessToken, accountId }
}

function unanswered({ status, reason }: { status: number | null; reason: string }): Failure {
  const message = `OpenAI's sign-in server cannot renew the ChatGPT sign-in now (${reason}); Reverie tries again later.`
  if (status === null) return { kind: "unreachable", message }
  if (status === 429) return { kind: "rate-limited", message, status }
  return { kind: status >= 500 ? "overloaded" : "malformed", message, status }
}

function refused({ status, reason }: { status: number; reason: string }): Failure {
  const message = `OpenAI does not renew the ChatGPT sign-in (${reason}); if that continues, run \`reverie login chatgpt\`.`
  return { kind: "auth", message, status }
}

function notSignedIn(): ChatgptAccess {
  const message = "You are not signed in with ChatGPT; run `reverie login chatgpt`."
  return { outcome: "failed", failure: { kind: "auth", message } }
}

export interface SignOutResult {
  wasSignedIn: boolean
  /** Whether the issuer revoked the tokens. If not, they stay valid there until they expire. */
  revoked: boolean
}

/** Removes the sign-in from this installation, then asks the issuer to revoke it. */
export async function signOut(needs: ChatgptClient): Promise<SignOutResult> {
  const removed = await changeCredentials(needs, async ({ chatgpt, ...rest }, save) => {
    if (chatgpt !== undefined) save(rest)
    return chatgpt
  })
  if (removed === undefined) return { wasSignedIn: false, revoked: false }
  return { wasSignedIn: true, revoked: await revoke(needs, removed.refreshToken) }
}
