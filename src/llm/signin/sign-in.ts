import { createHash } from "node:crypto"
import { sleep } from "../../base/clock.ts"
import type { Random } from "../../base/random.ts"
import { shorten } from "../../base/text/text.ts"
import { listenForCallback } from "./callback.ts"
import type { ChatgptClient } from "./chatgpt.ts"
import { changeCredentials } from "./credentials.ts"
import { type Attempt, authorizeUrl, exchangeCode, openaiIssuer } from "./issuer.ts"
import { type Chatgpt, chatgptFrom } from "./tokens.ts"

export type SignInResult =
  | { outcome: "signed-in"; chatgpt: Chatgpt }
  /** Nothing was changed. The reason is a whole sentence. */
  | { outcome: "refused"; reason: string }
  | { outcome: "cancelled" }

interface SignInOptions extends ChatgptClient {
  /** Aborting it cancels the sign-in. */
  signal: AbortSignal
  /** Shows the address to the user, and may open a browser. */
  show(url: string): void
}

/** The callback ports that OpenAI allows, the preferred one first. */
const callbackPorts = [1455, 1457] as const

const timeoutMs = 10 * 60_000

const again = "run `reverie login chatgpt` to try again"
const tooLate: SignInResult = {
  outcome: "refused",
  reason: `Nobody finished signing in within 10 minutes; ${again}.`,
}

/** Signs in with a browser on this machine; the callback comes to a local port. */
export async function signInByBrowser(
  needs: SignInOptions,
  ports: readonly number[] = portsFor(needs.issuer),
): Promise<SignInResult> {
  const listener = await listenForCallback(ports)
  try {
    const attempt = newAttempt(needs.random, listener.redirectUri)
    needs.show(authorizeUrl(needs.issuer, attempt))
    const callback = await withTimeout(needs, listener.callback)
    if ("outcome" in callback) return callback
    const result = await finish(needs, callback.query, attempt)
    await callback.answer(result.outcome === "refused" ? { problem: result.reason } : "signed-in")
    return result
  } finally {
    await listener.close()
  }
}

/** Signs in with a browser elsewhere: the user pastes the final address, or the code in it. */
export async function signInByPaste(
  needs: SignInOptions,
  ask: (signal: AbortSignal) => Promise<string | undefined>,
): Promise<SignInResult> {
  const attempt = newAttempt(needs.random, redirectTo(callbackPorts[0]))
  needs.show(authorizeUrl(needs.issuer, attempt))
  const over = new AbortController()
  const pasted = await withTimeout(needs, ask(over.signal)).finally(() => over.abort())
  if (typeof pasted === "object") return pasted
  if (pasted === undefined || pasted.trim() === "")
    return { outcome: "refused", reason: `Nothing was pasted; ${again}.` }
  const query = queryIn(pasted.trim())
  // A code alone has no state to compare; it is bound to this attempt by the verifier.
  return finish(needs, query ?? new URLSearchParams({ code: pasted.trim(), state: attempt.state }), attempt)
}

/** Issuers other than OpenAI accept any port. */
function portsFor(issuer: string): readonly number[] {
  return issuer === openaiIssuer ? callbackPorts : [...callbackPorts, 0]
}

function redirectTo(port: number): string {
  return `http://localhost:${port}/auth/callback`
}

function newAttempt(random: Random, redirectUri: string): Attempt {
  const secret = () => Buffer.from(random.bytes(32)).toString("base64url")
  const verifier = secret()
  const challenge = createHash("sha256").update(verifier).digest("base64url")
  return { state: secret(), verifier, challenge, redirectUri }
}

/** Waits for the user until the time is up or the sign-in is cancelled. */
async function withTimeout<T>(
  { clock, signal }: SignInOptions,
  wanted: Promise<T>,
): Promise<T | SignInResult> {
  const over = new AbortController()
  const late = sleep(clock, timeoutMs, AbortSignal.any([signal, over.signal])).then(
    (): SignInResult => (signal.aborted ? { outcome: "cancelled" } : tooLate),
  )
  return Promise.race([wanted, late]).finally(() => over.abort())
}

/** Checks the callback, exchanges its code for tokens and saves them. */
async function finish(needs: SignInOptions, query: URLSearchParams, attempt: Attempt): Promise<SignInResult> {
  const problem = problemIn(query, attempt)
  if (problem !== undefined) return { outcome: "refused", reason: problem }
  const answer = await exchangeCode(needs, query.get("code") ?? "", attempt)
  if (answer.outcome === "unanswered") {
    const reason = `OpenAI's sign-in server cannot be asked for tokens now (${answer.reason}); ${again}.`
    return { outcome: "refused", reason }
  }
  if (answer.outcome === "refused")
    return { outcome: "refused", reason: `OpenAI gave no tokens (${answer.reason}); ${again}.` }
  const chatgpt = chatgptFrom(answer.grant, needs.clock.now())
  if (chatgpt === undefined) {
    const reason =
      "OpenAI's answer contains no ChatGPT account; sign in with an account that has a ChatGPT plan."
    return { outcome: "refused", reason }
  }
  await changeCredentials(needs, async (credentials, save) => save({ ...credentials, chatgpt }))
  return { outcome: "signed-in", chatgpt }
}

function problemIn(query: URLSearchParams, attempt: Attempt): string | undefined {
  if (query.get("state") !== attempt.state)
    return `The answer does not belong to this sign-in (its state is wrong); close old tabs and ${again}.`
  const error = query.get("error")
  if (error === "access_denied") return `Signing in was denied in the browser; ${again}.`
  if (error !== null) {
    const detail = shorten(query.get("error_description") ?? error, 200).replace(/\.$/, "")
    return `OpenAI did not sign you in (${detail}); ${again}.`
  }
  return query.get("code") ? undefined : `The answer contains no code; ${again}.`
}

/** The query of a pasted address or part of one; undefined if the text is only a code. */
function queryIn(pasted: string): URLSearchParams | undefined {
  if (URL.canParse(pasted)) return new URL(pasted).searchParams
  return /(^|[?&])(code|error)=/.test(pasted) ? new URLSearchParams(pasted.replace(/^.*\?/, "")) : undefined
}
