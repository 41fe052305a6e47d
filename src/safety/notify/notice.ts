import type { Urgency } from "../permission/request.ts"

/** What a notice tells of: a request that waits for a person, or a cycle that ended. */
export interface Subject {
  kind: "request" | "cycle"
  id: string
}

/** One notice as a channel sends it. */
export interface Notice {
  /** Stays the same when it is sent again, so that a receiver can tell. */
  id: string
  urgency: Urgency
  createdAt: number
  about: readonly Subject[]
  /** One line. */
  title: string
  /** A line for each thing it tells of. */
  brief: string
  /** All there is to say. */
  text: string
}

/** How sending went. */
export type Sent =
  | { outcome: "sent" }
  /** It was certainly not taken; with `retry` it may be later. */
  | { outcome: "failed"; reason: string; retry: boolean }
  /** Nobody knows whether it was taken, such as when the connection broke after the last word. */
  | { outcome: "unknown"; reason: string }

/** One way to one person. */
export interface Notifier {
  /** Such as desktop or email:ann@example.net; notices wait under this name. */
  id: string
  /** Who reads it, as decisions name them. */
  person: string
  /** Whether only that person can read it: only then is it told what is asked for, and how to decide it. */
  isPrivate: boolean
  /** Whether the person can follow a link in it. */
  takesLinks: boolean
  /** Whether the person may answer with a code, as in chat. */
  takesCodes?: boolean
  /** Whether the receiver knows a notice again by its id, so that one whose fate is unknown may be sent again. */
  knowsAgain: boolean
  /** The server that has to be reached for it, where there is one. */
  server?: { host: string; port: number }
  send(notice: Notice, signal: AbortSignal): Promise<Sent>
}
