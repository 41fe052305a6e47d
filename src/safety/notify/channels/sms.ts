import type { Notifier } from "../notice.ts"
import { type HttpClient, post, serverOf } from "./post.ts"

interface SmsSettings {
  url: string
  to: string
  from: string
  user: string
  password: string
  isDetailed: boolean
}

/** Ten messages in a row; providers accept no more. */
const longest = 1500

/** Sends notices by SMS, through a provider with a form API like Twilio's. */
export function smsNotifier(needs: HttpClient, settings: SmsSettings): Notifier {
  const { url, to, from, user, password, isDetailed } = settings
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`
  return {
    id: "sms",
    person: to,
    isPrivate: isDetailed,
    supportsLinks: true,
    deduplicates: false,
    server: serverOf(url),
    send({ title, brief }, signal) {
      const text = `${title}: ${brief}`
      const form = new URLSearchParams({
        To: to,
        From: from,
        Body: text.length > longest ? `${text.slice(0, longest)}…` : text,
      })
      const headers = { "content-type": "application/x-www-form-urlencoded", authorization }
      return post(needs, url, { headers, body: form.toString() }, { signal, deduplicates: false })
    },
  }
}
