import { createHash, createHmac, hkdfSync, timingSafeEqual } from "node:crypto"
import type { Clock } from "../../base/clock.ts"
import type { Random } from "../../base/random.ts"

/** How the dashboard's page is let in: a code that works once, then a cookie together with a key that only our page has. */
export interface SignIn {
  /** A code that signs one browser in, once and soon. */
  newCode(): { code: string; expiresAt: number }
  /** Takes a code. Undefined where it is unknown, used or too old. */
  redeem(code: string): WebSession | undefined
  /** Whether a cookie and a page key belong together and still count. */
  accepts(cookie: string, pageKey: string): boolean
}

/** What a signed-in browser keeps: the cookie out of scripts' reach, the key out of other ports' reach. */
interface WebSession {
  cookie: string
  pageKey: string
}

/** The header that carries the page's key. Pages of other origins cannot send it. */
export const pageKeyHeader = "x-reverie-page"

/** How long a code can be used, and how long a browser stays signed in. */
const codeMs = 10 * 60_000
export const sessionMs = 30 * 86_400_000
/** More unused codes than anybody asks for; the oldest goes first. */
const mostCodes = 100

interface SignInNeeds {
  clock: Clock
  random: Random
  install: string
  token: string
}

/** Codes live in this process and die with it; sessions are signed, so that they outlive it and need no table. */
export function openSignIn({ clock, random, install, token }: SignInNeeds): SignIn {
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
      const isReal = sameText(signature, sign(`session ${claim}`)) && sameText(pageKey, sign(`page ${claim}`))
      return isReal && Number(until) > clock.now()
    },
  }
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}

/** Compares in the same time whatever the difference. */
export function sameText(a: string, b: string): boolean {
  const bytes = (text: string) => createHash("sha256").update(text).digest()
  return timingSafeEqual(bytes(a), bytes(b))
}

/** The cookie's name. Browsers share cookies between ports, so each port has its own. */
export function cookieName(port: number): string {
  return `reverie-${port}`
}

/** One cookie of a request, or an empty text. */
export function cookieIn(headers: Headers, name: string): string {
  const pairs = (headers.get("cookie") ?? "").split(";").map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? ""
}
