import { UserError } from "../../base/errors.ts"
import type { Failure } from "../failure.ts"
import { type CredentialNeeds, type Credentials, changeCredentials, readCredentials } from "./credentials.ts"
import { type IssuerNeeds, renew, revoke } from "./issuer.ts"
import { type Chatgpt, renewed } from "./tokens.ts"

export interface ChatgptNeeds extends CredentialNeeds, IssuerNeeds {}

/** What a call to OpenAI's models needs to show, or why there is none. */
type ChatgptAccess =
  | { outcome: "valid"; accessToken: string; accountId: string }
  | { outcome: "failed"; failure: Failure }

/** The ChatGPT sign-in of this installation, as whoever asks models uses it. */
interface ChatgptSignIn {
  /** A token that is valid, renewed in time; callers at the same time share one renewal. */
  access(): Promise<ChatgptAccess>
}

/** How long before its end a token is renewed, and how long it must last to be given out where that fails. */
const renewBeforeMs = 5 * 60_000
const leastMs = 30_000

/** How the issuer says that a refresh token is of no use any more. Anything else may be a passing fault. */
const endings: readonly string[] = [
  "invalid_grant",
  "refresh_token_expired",
  "refresh_token_reused",
  "refresh_token_invalidated",
  "refresh_token_revoked",
]

/** Opens the sign-in. The file is read at each use: other processes renew it too. */
export function openChatgpt(needs: ChatgptNeeds): ChatgptSignIn {
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
        return isRenewable(needs, now) ? await shared() : given(needs, now)
      } catch (error) {
        const failure = fileFailure(error)
        return now === undefined ? { outcome: "failed", failure } : orFailure(needs, now, failure)
      }
    },
  }
}

/** Whether it is time to renew, and there is any use in it. */
function isRenewable({ clock }: ChatgptNeeds, { expiresAt, needsSignIn }: Chatgpt): boolean {
  return !needsSignIn && expiresAt - clock.now() <= renewBeforeMs
}

/** The file or its lock cannot be had; anything else is a fault of ours. */
function fileFailure(error: unknown): Failure {
  if (!(error instanceof UserError)) throw error
  return { kind: error.kind === "conflict" ? "timeout" : "auth", message: error.message }
}

/**
 * Renews the tokens unless another process just did. Whatever happens, none that may still be good is dropped. Taking
 * the lock writes to the same folder, so a disk that would not take the new tokens is found before the old ones go.
 */
function renewUnderLock(needs: ChatgptNeeds): Promise<ChatgptAccess> {
  return changeCredentials(needs, async (credentials, keep) => {
    const before = credentials.chatgpt
    if (before === undefined) return notSignedIn()
    if (!isRenewable(needs, before)) return given(needs, before)
    const answer = await renew(needs, before.refreshToken)
    if (answer.outcome === "granted") {
      const after = renewed(before, answer.grant, needs.clock.now())
      keep({ ...credentials, chatgpt: after })
      return valid(after)
    }
    if (answer.outcome === "unanswered") return orFailure(needs, before, unanswered(answer))
    if (!endings.includes(answer.code)) return orFailure(needs, before, refused(answer))
    return ended(needs, before, answer.reason, keep)
  })
}

/** The issuer ended the sign-in, unless a process that knows no lock (an older version, a restored file) was first. */
function ended(
  needs: ChatgptNeeds,
  before: Chatgpt,
  reason: string,
  keep: (credentials: Credentials) => void,
): ChatgptAccess {
  const credentials = readCredentials(needs.credentialsFile)
  const now = credentials.chatgpt
  if (now === undefined) return notSignedIn()
  if (now.refreshToken !== before.refreshToken) return given(needs, now)
  const marked = { ...now, needsSignIn: true, reason }
  keep({ ...credentials, chatgpt: marked })
  return given(needs, marked)
}

function given(needs: ChatgptNeeds, chatgpt: Chatgpt): ChatgptAccess {
  const reason = chatgpt.reason ? ` (${chatgpt.reason.replace(/\.$/, "")})` : ""
  const message = `The ChatGPT sign-in has ended${reason}; run \`reverie login chatgpt\`.`
  return orFailure(needs, chatgpt, { kind: "auth", message })
}

/** The token as long as it lasts, else the failure. */
function orFailure({ clock }: ChatgptNeeds, chatgpt: Chatgpt, failure: Failure): ChatgptAccess {
  if (chatgpt.expiresAt - clock.now() < leastMs) return { outcome: "failed", failure }
  return valid(chatgpt)
}

function valid({ accessToken, accountId }: Chatgpt): ChatgptAccess {
  return { outcome: "valid", accessToken, accountId }
}

function unanswered({ status, reason }: { status: number | null; reason: string }): Failure {
  const message = `OpenAI's sign-in server cannot renew the ChatGPT sign-in now (${reason}); it is tried again later.`
  if (status === null) return { kind: "unreachable", message }
  if (status === 429) return { kind: "rate-limited", message, status }
  return { kind: status >= 500 ? "overloaded" : "malformed", message, status }
}

function refused({ status, reason }: { status: number; reason: string }): Failure {
  const message = `OpenAI does not renew the ChatGPT sign-in (${reason}); run \`reverie login chatgpt\` if it stays so.`
  return { kind: "auth", message, status }
}

function notSignedIn(): ChatgptAccess {
  const message = "Nobody is signed in with ChatGPT; run `reverie login chatgpt`."
  return { outcome: "failed", failure: { kind: "auth", message } }
}

/** What came of signing out. */
export interface SignedOut {
  wasSignedIn: boolean
  /** Whether the issuer was told; without it the tokens there live on until they expire. */
  revoked: boolean
}

/** Removes the sign-in from this installation, then tells the issuer as well as it can. */
export async function signOut(needs: ChatgptNeeds): Promise<SignedOut> {
  const removed = await changeCredentials(needs, async ({ chatgpt, ...rest }, keep) => {
    if (chatgpt !== undefined) keep(rest)
    return chatgpt
  })
  if (removed === undefined) return { wasSignedIn: false, revoked: false }
  return { wasSignedIn: true, revoked: await revoke(needs, removed.refreshToken) }
}
