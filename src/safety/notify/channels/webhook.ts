import { createHmac } from "node:crypto"
import { isoTime } from "../../../base/clock.ts"
import type { Notifier } from "../notice.ts"
import { type HttpClient, post, serverOf } from "./post.ts"

interface WebhookSettings {
  url: string
  secret: string
  isDetailed: boolean
}

/** Posts notices as JSON, signed over the time and the body. docs/notifications.md says how to verify it. */
export function webhookNotifier(needs: HttpClient, { url, secret, isDetailed }: WebhookSettings): Notifier {
  return {
    id: "webhook",
    person: "webhook",
    isPrivate: isDetailed,
    supportsLinks: true,
    deduplicates: true,
    server: serverOf(url),
    send(notice, signal) {
      const { id, urgency, about, title, text } = notice
      const body = JSON.stringify({ id, urgency, title, text, about, createdAt: isoTime(notice.createdAt) })
      const timestamp = String(Math.floor(needs.clock.now() / 1000))
      const headers = {
        "content-type": "application/json",
        "reverie-notice": id,
        "reverie-timestamp": timestamp,
        "reverie-signature": `v1=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`,
      }
      return post(needs, url, { headers, body }, { signal, deduplicates: true })
    },
  }
}
