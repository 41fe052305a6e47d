import { createHash } from "node:crypto"
import { sleep } from "../../base/clock.ts"
import type { Random } from "../../base/random.ts"
import { shorten } from "../../base/text/text.ts"
import { type Callback, listenForCallback } from "./callback.ts"
import type { ChatgptNeeds } from "./chatgpt.ts"
import { changeCredentials } from "./credentials.ts"
import { type Attempt, authorizeUrl, exchangeCode, openaiIssuer } from "./issuer.ts"
import { type Chatgpt, chatgptFrom } from "./tokens.ts"

/** What came of signing in. */
export type SignedIn =
  | { outcome: "signed-in"; chatgpt: Chatgpt }
  /** Nothing was changed, for this reason: a whole sentence. */
  | { outcome: "refused"; reason: string }
  /** The user called it off. */
  | { outcome: "cancelled" }

interface SignInNeeds extends ChatgptNeeds {
  /** Aborting it calls the sign-in off. */
  signal: AbortSignal
  /** Shows the address to the user, and may open it. */
  show(url: string): void
}

/** The ports of this machine that OpenAI's client may be sent back to, in the order of liking. */
const callbackPorts = [1455, 1457] as const

/** How long somebody may take to sign in. */
const patienceMs = 10 * 60_000

const again = "run `reverie login chatgpt` to try again"
const tooLate: SignedIn = {
  outcome: "refused",
  reason: `Nobody finished signing in within 10 minutes; ${again}.`,
}

/** Signs in with a browser on this machine, which brings the answer back to a port of ours. */
export async function signInByBrowser(
  needs: SignInNeeds,
  ports: readonly number[] = portsFor(needs.issuer),
): Promise<SignedIn> {
  const listener = await listenForCallback(ports)
  try {
    const attempt = newAttempt(needs.random, listener.redirectUri)
    needs.show(authorizeUrl(needs.issuer, attempt))
    const callback = await inTime(needs, listener.callback)
    if ("outcome" in callback) return callback
    const result = await finish(needs, callback.query, attempt)
    await callback.answer(result.outcome === "refused" ? { problem: result.reason } : "signed-in")
    return result
  } finally {
    await listener.close()
  }
}

/** Signs in with a browser elsewhere: the user brings back the address that it ended on, or the code in it. */
export async function signInByPaste(
  needs: SignInNeeds,
  ask: (signal: AbortSignal) => Promise<string | undefined>,
): Promise<SignedIn> {
  const attempt = newAttempt(needs.random, redirectTo(callbackPorts[0]))
  needs.show(authorizeUrl(needs.issuer, attempt))
  const over = new AbortController()
  const pasted = await inTime(needs, ask(over.signal)).finally(() => over.abort())
  if (typeof pasted === "object") return pasted
  if (pasted === undefined || pasted.trim() === "")
    return { outcome: "refused", reason: `Nothing was pasted; ${again}.` }
  const query = queryIn(pasted.trim())
  // A code alone has no state to compare; it is bound to this attempt by the verifier.
  return finish(needs, query ?? new URLSearchParams({ code: pasted.trim(), state: attempt.state }), attempt)
}

/** Elsewhere than at OpenAI's own address any port will do. */
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

/** Waits for the user, until it takes too long or is called off. */
async function inTime<T>({ clock, signal }: SignInNeeds, wanted: Promise<T>): Promise<T | SignedIn> {
  const over = new AbortController()
  const late = sleep(clock, patienceMs, AbortSignal.any([signal, over.signal])).then(
    (): SignedIn => (signal.aborted ? { outcome: "cancelled" } : tooLate),
  )
  return Promise.race([wanted, late]).finally(() => over.abort())
}

/** Checks what the browser brought, changes it into tokens and keeps them. */
async function finish(needs: SignInNeeds, query: Callback["query"], attempt: Attempt): Promise<SignedIn> {
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
      "OpenAI's answer names no ChatGPT account; sign in with an account that has a ChatGPT plan."
    return { outcome: "refused", reason }
  }
  await changeCredentials(needs, async (credentials, keep) => keep({ ...credentials, chatgpt }))
  return { outcome: "signed-in", chatgpt }
}

function problemIn(query: URLSearchParams, attempt: Attempt): string | undefined {
  if (query.get("state") !== attempt.state)
    return `What came back does not belong to this sign-in (its state is wrong); close old tabs and ${again}.`
  const error = query.get("error")
  if (error === "access_denied") return `Signing in was denied in the browser; ${again}.`
  if (error !== null) {
    const told = shorten(query.get("error_description") ?? error, 200).replace(/\.$/, "")
    return `OpenAI did not sign you in (${told}); ${again}.`
  }
  return query.get("code") ? undefined : `What came back holds no code; ${again}.`
}

/** The query of a pasted address, or of its tail; undefined if the text is a code alone. */
function queryIn(pasted: string): URLSearchParams | undefined {
  if (URL.canParse(pasted)) return new URL(pasted).searchParams
  return /(^|[?&])(code|error)=/.test(pasted) ? new URLSearchParams(pasted.replace(/^.*\?/, "")) : undefined
}
