import type { Notifier } from "../notice.ts"
import { type PostNeeds, post, serverOf } from "./post.ts"

interface SmsSettings {
  url: string
  to: string
  from: string
  user: string
  password: string
  isDetailed: boolean
}

/** Ten messages in a row; providers take no more. */
const longest = 1500

/** Sends notices by SMS, through a provider that takes a form as Twilio does. */
export function smsNotifier(needs: PostNeeds, settings: SmsSettings): Notifier {
  const { url, to, from, user, password, isDetailed } = settings
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`
  return {
    id: "sms",
    person: to,
    isPrivate: isDetailed,
    takesLinks: true,
    knowsAgain: false,
    server: serverOf(url),
    send({ title, brief }, signal) {
      const text = `${title}: ${brief}`
      const form = new URLSearchParams({
        To: to,
        From: from,
        Body: text.length > longest ? `${text.slice(0, longest)}…` : text,
      })
      const headers = { "content-type": "application/x-www-form-urlencoded", authorization }
      return post(needs, url, { headers, body: form.toString() }, { signal, knowsAgain: false })
    },
  }
}
