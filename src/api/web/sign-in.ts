import { createHash, createHmac, hkdfSync, timingSafeEqual } from "node:crypto"
import type { InstallCore } from "../../storage/core.ts"

/** Signs the dashboard in: a code that works once, then a cookie together with a key that only our page has. */
export interface SignIn {
  /** Creates a code that signs one browser in, once. */
  newCode(): { code: string; expiresAt: number }
  /** Exchanges a code for a session; undefined if it is unknown, used or expired. */
  redeem(code: string): WebSession | undefined
  /** Whether a cookie and a page key belong together and have not expired. */
  accepts(cookie: string, pageKey: string): boolean
}

/** What a signed-in browser stores: scripts cannot read the cookie, other ports cannot read the key. */
interface WebSession {
  cookie: string
  pageKey: string
}

/** The header that carries the page's key. Pages of other origins cannot send it. */
export const pageKeyHeader = "x-reverie-page"

/** How long a code can be used, and how long a browser stays signed in. */
const codeMs = 10 * 60_000
export const sessionMs = 30 * 86_400_000
/** At most this many unused codes; the oldest is dropped first. */
const mostCodes = 100

/** Codes live in this process only. Sessions are signed, so that they survive it without a table. */
export function openSignIn({
  clock,
  random,
  install,
  token,
}: Pick<InstallCore, "clock" | "random" | "install"> & { token: string }): SignIn {
  const secret = new Uint8Array(hkdfSync("sha256", token, install, "reverie dashboard", 32))
  const sign = (text: string) => createHmac("sha256", secret).update(text).digest("base64url")
  const codes = new Map<string, number>()
  return {
    newCode() {
      const code = Buffer.from(random.bytes(24)).toString("base64url")
      const expiresAt = clock.now() + codeMs
      codes.set(digest(code), expiresAt)
      for (const old of [...codes.keys()].slice(0, -mostCodes)) codes.delete(old)
      return { code, expiresAt }
    },
    redeem(code) {
      const expiresAt = codes.get(digest(code))
      codes.delete(digest(code))
      if (expiresAt === undefined || expiresAt <= clock.now()) return undefined
      const claim = `${Buffer.from(random.bytes(16)).toString("base64url")}.${clock.now() + sessionMs}`
      return { cookie: `${claim}.${sign(`session ${claim}`)}`, pageKey: sign(`page ${claim}`) }
    },
    accepts(cookie, pageKey) {
      const [id = "", until = "", signature = ""] = cookie.split(".")
      const claim = `${id}.${until}`
      const isReal =
        isSameSecret(signature, sign(`session ${claim}`)) && isSameSecret(pageKey, sign(`page ${claim}`))
      return isReal && Number(until) > clock.now()
    },
  }
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}

/** Compares two texts in constant time. */
export function isSameSecret(a: string, b: string): boolean {
  const bytes = (text: string) => createHash("sha256").update(text).digest()
  return timingSafeEqual(bytes(a), bytes(b))
}

/** The cookie's name. Browsers share cookies between ports, so each port has its own. */
export function cookieName(port: number): string {
  return `reverie-${port}`
}

/** The value of a cookie, or an empty text. */
export function readCookie(headers: Headers, name: string): string {
  const pairs = (headers.get("cookie") ?? "").split(";").map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? ""
}
