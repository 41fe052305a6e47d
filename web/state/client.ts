import { type Client, createClient } from "../../src/api/client.ts"
import { systemRandom } from "../../src/base/random.ts"

const keyName = "reverie page key"
const keyHeader = "x-reverie-page"

/** The key of this signed-in page. The cookie that belongs to it is not readable by scripts. */
export function pageKey(): string {
  return localStorage.getItem(keyName) ?? ""
}

/** Exchanges a one-time code for a cookie and this page's key. */
export async function signIn(code: string): Promise<void> {
  const headers = { "content-type": "application/json" }
  const answer = await fetch("/web/sign-in", { method: "POST", headers, body: JSON.stringify({ code }) })
  const { pageKey: key, error } = (await answer.json()) as { pageKey?: string; error?: { message: string } }
  if (key === undefined) throw new Error(error?.message ?? "Signing in failed.")
  localStorage.setItem(keyName, key)
}

/** Deletes the key and the cookie. */
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

/** Sets the receiver of notices that come with the daemon's answers. */
export function setNoticeListener(listener: (text: string) => void): void {
  onNotice = listener
}

/** The typed client of the API, the only source of data. */
export const client: Client = createClient({
  fetch: toDaemon,
  random: systemRandom,
  actor: "web",
  onNotice: (text) => onNotice(text),
})
