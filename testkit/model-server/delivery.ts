import type { ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { codeOf } from "../../src/base/errors.ts"
import { type Said, sayStep } from "./said.ts"
import { type AnswerStep, type FailStep, isFailure, type Step } from "./step.ts"
import { type Exchange, encodeEvent, type WireEvent, type WireFormat } from "./wire-format.ts"

/** One request on its way to an answer. */
export interface Delivery {
  response: ServerResponse
  format: WireFormat
  exchange: Exchange
  given: { id: string; createdAt: number }
  /** Aborted when the connection is gone. */
  gone: AbortSignal
}

/** Does what the step says. Tells whether it broke off, as scripted, before the end. */
export async function deliver(to: Delivery, step: Step): Promise<"whole" | "cut"> {
  try {
    return isFailure(step) ? await deliverFailure(to, step) : await deliverAnswer(to, step)
  } catch (error) {
    // The write may fail before the connection is known to be closed.
    if (to.gone.aborted || /EPIPE|ECONNRESET/.test(codeOf(error))) return "whole"
    throw error
  }
}

async function deliverFailure(to: Delivery, step: FailStep): Promise<"whole"> {
  const refusal = to.format.refuse(step, to.exchange.asked)
  const headers = { ...to.format.headers(to.given.id), ...retryHeader(step), ...step.headers }
  if (step.after === undefined || !to.exchange.asked.stream) {
    sendJson(to.response, refusal.status, headers, step.body ?? refusal.body)
    return "whole"
  }
  const said = say(to, step.text === undefined ? {} : { text: step.text })
  const events = [...to.exchange.events(said).slice(0, step.after), refusal.event]
  startStream(to.response, headers)
  await sendEvents(to, events, 0)
  to.response.end()
  return "whole"
}

async function deliverAnswer(to: Delivery, step: AnswerStep): Promise<"whole" | "cut"> {
  const said = say(to, step)
  if (step.hang === true) return silence(to)
  const headers = { ...to.format.headers(to.given.id), ...step.headers }
  if (to.exchange.asked.stream) return deliverStream(to, step, said, headers)
  return deliverWhole(to, step, said, headers)
}

async function deliverStream(
  to: Delivery,
  step: AnswerStep,
  said: Said,
  headers: Record<string, string>,
): Promise<"whole" | "cut"> {
  const events = step.badJson ? withBadJson(to.exchange.events(said)) : to.exchange.events(said)
  startStream(to.response, headers)
  await sendEvents(to, events.slice(0, eventsUntilTrouble(step)), step.slow ?? 0)
  if (step.hang !== undefined) return silence(to)
  if (step.cut !== undefined) return breakOff(to)
  to.response.end()
  return "whole"
}

function eventsUntilTrouble(step: AnswerStep): number | undefined {
  return step.cut ?? step.endAfter ?? (step.hang === true ? 0 : step.hang)
}

async function deliverWhole(
  to: Delivery,
  step: AnswerStep,
  said: Said,
  headers: Record<string, string>,
): Promise<"whole" | "cut"> {
  const text = JSON.stringify(to.exchange.answer(said))
  const half = text.slice(0, text.length / 2)
  if (step.slow !== undefined) await sleep(step.slow, undefined, { signal: to.gone })
  if (step.hang !== undefined || step.cut !== undefined) {
    to.response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
      ...headers,
    })
    to.response.flushHeaders()
    if (step.cut === undefined) return silence(to)
    await write(to.response, half)
    return breakOff(to)
  }
  sendJson(to.response, 200, headers, step.badJson ? half : text)
  return "whole"
}

/** Answers at once with JSON; a string goes out as it stands. */
export function sendJson(
  response: ServerResponse,
  status: number,
  headers: Record<string, string>,
  body: unknown,
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(typeof body === "string" ? body : JSON.stringify(body))
}

function say(to: Delivery, step: AnswerStep): Said {
  return sayStep(step, to.exchange.asked, to.given)
}

function startStream(response: ServerResponse, headers: Record<string, string>): void {
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    ...headers,
  })
  response.flushHeaders()
}

async function sendEvents(to: Delivery, events: readonly WireEvent[], pauseMs: number): Promise<void> {
  for (const event of events) {
    if (pauseMs > 0) await sleep(pauseMs, undefined, { signal: to.gone })
    await write(to.response, encodeEvent(event))
  }
}

function write(response: ServerResponse, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    response.write(text, (error) => (error ? reject(error) : resolve()))
  })
}

/** Says nothing more until the connection is closed by either side. */
function silence(to: Delivery): Promise<"whole"> {
  return new Promise((resolve) => {
    if (to.gone.aborted) resolve("whole")
    to.gone.addEventListener("abort", () => resolve("whole"))
  })
}

function breakOff(to: Delivery): "cut" {
  to.response.socket?.destroy()
  return "cut"
}

function withBadJson(events: WireEvent[]): WireEvent[] {
  const middle = Math.floor(events.length / 2)
  return events.map((event, index) => {
    return index === middle ? { ...event, data: '{"type":"broken' } : event
  })
}

function retryHeader(step: FailStep): Record<string, string> {
  return step.retryAfter === undefined ? {} : { "retry-after": String(step.retryAfter) }
}
