import { type Client, createClient } from "../../src/api/client.ts"
import { systemRandom } from "../../src/base/random.ts"

const keyName = "reverie page key"
const keyHeader = "x-reverie-page"

/** What says that this page was signed in; the cookie that goes with it is out of scripts' reach. */
export function pageKey(): string {
  return localStorage.getItem(keyName) ?? ""
}

/** Trades a code that works once for a cookie and this page's key. */
export async function signIn(code: string): Promise<void> {
  const headers = { "content-type": "application/json" }
  const answer = await fetch("/web/sign-in", { method: "POST", headers, body: JSON.stringify({ code }) })
  const told = (await answer.json()) as { pageKey?: string; error?: { message: string } }
  if (told.pageKey === undefined) throw new Error(told.error?.message ?? "Signing in failed.")
  localStorage.setItem(keyName, told.pageKey)
}

/** Forgets the key, and lets the daemon take the cookie back. */
export async function signOut(): Promise<void> {
  localStorage.removeItem(keyName)
  await fetch("/web/sign-out", { method: "POST" })
}

const toDaemon: typeof fetch = (input, init) => {
  const { pathname, search } = new URL(String(input))
  const headers = new Headers(init?.headers)
  headers.set(keyHeader, pageKey())
  return fetch(pathname + search, { ...init, headers })
}

let onNotice: (text: string) => void = () => undefined

/** Lets somebody hear what users should know beside an answer. */
export function hearNotices(listener: (text: string) => void): void {
  onNotice = listener
}

/** The typed client of the API, which is the only way to data. */
export const client: Client = createClient({
  fetch: toDaemon,
  random: systemRandom,
  actor: "web",
  onNotice: (text) => onNotice(text),
})
