import { createHash } from "node:crypto"
import type { REST } from "discord.js"
import { type Clock, sleep } from "../../../base/clock.ts"
import { codeOf, messageOf } from "../../../base/errors.ts"
import type { Outgoing, Sent } from "../channel.ts"
import { cleanText } from "../text/clean.ts"
import { splitText } from "../text/split-text.ts"
import { notConnected, refusalSentence } from "./sentences.ts"

type Vendor = typeof import("discord.js")

export interface SendNeeds {
  clock: Clock
  vendor: Vendor
  rest: REST
  notifyReplied: boolean
  isConnected(): boolean
}

/** Discord's own limit for bots. */
export const longestText = 2000
/** How long one message may wait for its turn when Discord says to wait; beyond it whoever sends decides. */
export const longestWaitMs = 15_000
/** How often a part is sent whose answer did not come. Its nonce keeps Discord from posting it twice. */
const mostAttempts = 3
const pauseMs = 1000

/** Says something in a channel, in as many messages as it takes. */
export async function sendText(
  needs: SendNeeds,
  channel: string,
  outgoing: Outgoing,
  signal: AbortSignal,
): Promise<Sent> {
  const parts = splitText(cleanText(outgoing.text), { limit: longestText, unit: "characters" })
  if (parts.length === 0) return { outcome: "refused", reason: "There is nothing to say." }
  const ids: string[] = []
  for (const [index, text] of parts.entries()) {
    const body = {
      content: text,
      nonce: nonceOf(channel, outgoing.key, index),
      enforce_nonce: true,
      allowed_mentions: { parse: [], replied_user: needs.notifyReplied },
      ...(outgoing.replyTo !== undefined && index === 0
        ? { message_reference: { message_id: outgoing.replyTo, fail_if_not_exists: false } }
        : {}),
    }
    const sent = await sendPart(needs, channel, body, outgoing, signal)
    if (sent.outcome !== "sent") return ids.length === 0 ? sent : { outcome: "sent", ids, cut: sent.reason }
    ids.push(...sent.ids)
  }
  return { outcome: "sent", ids }
}

/** At most 25 characters; the same for the same part of the same message. */
function nonceOf(channel: string, key: string, part: number): string {
  return createHash("sha256").update(`${channel}\n${key}\n${part}`).digest("base64url").slice(0, 25)
}

async function sendPart(
  needs: SendNeeds,
  channel: string,
  body: object,
  outgoing: Outgoing,
  signal: AbortSignal,
): Promise<Sent> {
  const state: Trying = { waitedMs: 0, failures: 0, doubt: undefined }
  for (;;) {
    if (signal.aborted || !outgoing.mayStillSend()) return notSent(state, "It was called off.")
    if (!needs.isConnected()) return notSent(state, notConnected)
    const next = whatNow(state, await post(needs, channel, body, signal))
    if (typeof next !== "number") return next
    await sleep(needs.clock, next, signal)
  }
}

/** How it went so far with one part. */
interface Trying {
  waitedMs: number
  failures: number
  /** Why an attempt may have arrived although no answer came. */
  doubt: string | undefined
}

/** The end, or after how many milliseconds to try again. */
function whatNow(state: Trying, result: Posted): Sent | number {
  if (result.kind === "sent") return { outcome: "sent", ids: [result.id] }
  if (result.kind === "refused") return notSent(state, result.reason)
  if (result.kind === "limited") {
    state.waitedMs += result.retryAfterMs
    return state.waitedMs > longestWaitMs
      ? notSent(state, askedToWait, result.retryAfterMs)
      : result.retryAfterMs
  }
  state.failures += 1
  if (result.mayHaveArrived) state.doubt = result.reason
  return state.failures === mostAttempts ? notSent(state, result.reason) : pauseMs * state.failures
}

export const askedToWait = "Discord asks to wait before more is sent."

function notSent({ doubt }: Trying, reason: string, retryAfterMs?: number): Sent {
  if (doubt !== undefined) return { outcome: "unknown", reason: doubt }
  return { outcome: "refused", reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}

type Posted =
  | { kind: "sent"; id: string }
  | { kind: "refused"; reason: string }
  | { kind: "limited"; retryAfterMs: number }
  | { kind: "unanswered"; reason: string; mayHaveArrived: boolean }

async function post(needs: SendNeeds, channel: string, body: object, signal: AbortSignal): Promise<Posted> {
  const { vendor, rest } = needs
  try {
    const answer = await rest.post(vendor.Routes.channelMessages(channel), { body, signal })
    return { kind: "sent", id: idIn(answer) }
  } catch (error) {
    return failureOf(vendor, error)
  }
}

/** What a request that failed means for what it asked for. */
export function failureOf(vendor: Vendor, error: unknown): Exclude<Posted, { kind: "sent" }> {
  if (error instanceof vendor.RateLimitError)
    return { kind: "limited", retryAfterMs: Math.max(1, Math.ceil(error.retryAfter)) }
  if (error instanceof vendor.DiscordAPIError)
    return { kind: "refused", reason: refusalSentence(error.code, error.status, messageOf(error)) }
  const mayHaveArrived = !neverLeft.includes(codeOf(error))
  return { kind: "unanswered", reason: `Discord did not answer (${messageOf(error)}).`, mayHaveArrived }
}

const neverLeft: readonly string[] = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ENETUNREACH", "EHOSTUNREACH"]

function idIn(answer: unknown): string {
  return typeof answer === "object" && answer !== null && "id" in answer ? String(answer.id) : ""
}
