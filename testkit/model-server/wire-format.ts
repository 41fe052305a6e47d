import type { Asked } from "./asked.ts"
import type { Said } from "./said.ts"
import type { FailStep } from "./step.ts"

/** How one provider's API puts questions, answers and failures. */
export interface WireFormat {
  id: "responses" | "chat" | "messages" | "gemini"
  /** Reads a request; throws a zod error where the real API would refuse its shape. */
  open(body: unknown): Exchange
  refuse(failing: FailStep, asked: Asked | null): Refusal
  /** Headers that every answer of the real API has. */
  headers(requestId: string): Record<string, string>
}

/** One request, and the forms an answer to it can take. */
export interface Exchange {
  asked: Asked
  /** Why the real API would refuse it although its shape is right, if it would. */
  complaint: string | null
  answer(said: Said): unknown
  events(said: Said): WireEvent[]
}

/** A failure: as a response of its own, or as the end of a stream that had begun. */
interface Refusal {
  status: number
  body: unknown
  event: WireEvent
}

/** One server-sent event. Data that is a string goes out as it stands. */
export interface WireEvent {
  name?: string
  data: unknown
  /** A comment before it, as servers send them to keep a connection open. */
  comment?: string
}

/** Text as the pieces a model streams it in. */
export function pieces(text: string): string[] {
  return text.match(/.{1,12}/gsu) ?? []
}

/** Bytes of an event on the wire. */
export function encodeEvent(event: WireEvent): string {
  const comment = event.comment === undefined ? "" : `: ${event.comment}\n\n`
  const name = event.name === undefined ? "" : `event: ${event.name}\n`
  const data = typeof event.data === "string" ? event.data : JSON.stringify(event.data)
  return `${comment}${name}data: ${data}\n\n`
}
