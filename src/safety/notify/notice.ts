import type { Urgency } from "../permission/request.ts"

/** What a notice is about: a waiting request, or an ended cycle. */
export interface Subject {
  kind: "request" | "cycle"
  id: string
}

export interface Notice {
  /** Stays the same when it is sent again, so that a receiver can deduplicate. */
  id: string
  urgency: Urgency
  createdAt: number
  about: readonly Subject[]
  /** One line. */
  title: string
  /** One line for each subject. */
  brief: string
  /** All details. */
  text: string
}

/** The result of sending. */
export type SendResult =
  | { outcome: "sent" }
  /** Certainly not delivered; `retry` says whether to try again. */
  | { outcome: "failed"; reason: string; retry: boolean }
  /** It may have been delivered, for example if the connection broke at the end. */
  | { outcome: "unknown"; reason: string }

/** One channel to one person. */
export interface Notifier {
  /** Such as desktop or email:ann@example.net; queued notices name it. */
  id: string
  /** The recipient, as decisions name them. */
  person: string
  /** Whether only that person can read it. Only then it contains details and a way to decide. */
  isPrivate: boolean
  supportsLinks: boolean
  /** Whether the person can answer with a code, as in chat. */
  supportsCodes?: boolean
  /** Whether the receiver deduplicates notices by id, so that one with an unknown result can be sent again. */
  deduplicates: boolean
  /** The server that the channel needs, if any. */
  server?: { host: string; port: number }
  send(notice: Notice, signal: AbortSignal): Promise<SendResult>
}
