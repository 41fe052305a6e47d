import type { Notifier } from "../notice.ts"
import { type HttpClient, post, serverOf } from "./post.ts"

interface NtfySettings {
  server: string
  topic: string
  token: string | undefined
}

const priorities = { low: 2, normal: 3, high: 5 }
/** ntfy turns longer messages into files. */
const longest = 3500

/** Publishes notices to an ntfy topic, as JSON, so that no text is in a header. */
export function ntfyNotifier(needs: HttpClient, { server, topic, token }: NtfySettings): Notifier {
  return {
    id: "ntfy",
    person: `ntfy:${topic}`,
    // Without a token, anybody who knows the topic can read it.
    isPrivate: token !== undefined,
    supportsLinks: true,
    deduplicates: false,
    server: serverOf(server),
    send({ title, brief, urgency }, signal) {
      const message = brief.length > longest ? `${brief.slice(0, longest)}…` : brief
      const body = JSON.stringify({ topic, title, message, priority: priorities[urgency] })
      const headers = {
        "content-type": "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      }
      return post(needs, server, { headers, body }, { signal, deduplicates: false })
    },
  }
}
