import { createHash } from "node:crypto"
import type { REST } from "discord.js"
import { type Clock, sleep } from "../../../base/clock.ts"
import { codeOf, messageOf } from "../../../base/errors.ts"
import type { OutgoingFile, OutgoingMessage, SendResult } from "../channel.ts"
import { cleanText } from "../text/clean.ts"
import { withFilesAsText } from "../text/files-as-text.ts"
import { splitText } from "../text/split-text.ts"
import { notConnected, refusalReason } from "./messages.ts"

type Vendor = typeof import("discord.js")

export interface SendNeeds {
  clock: Clock
  vendor: Vendor
  rest: REST
  notifyReplied: boolean
  isConnected(): boolean
  /** Whether files may be sent in this channel. `onNoFiles` is called if it refuses one. */
  mayAttach: boolean
  onNoFiles(): void
}

/** Discord's own limit for bots. */
export const longestText = 2000
/** Discord's limit for a file in servers without boosts, less some room for the rest of the request. */
export const largestFile = 10 * 1024 * 1024 - 64 * 1024
/** How long one message may wait for rate limits; beyond it, the caller decides. */
export const longestWaitMs = 15_000
/** How often a part without an answer is sent. Its nonce prevents Discord from posting it twice. */
const maxAttempts = 3
const pauseMs = 1000

/** Sends a text in as many messages as it takes; files go with the last one. */
export async function sendText(
  needs: SendNeeds,
  channel: string,
  outgoing: OutgoingMessage,
  signal: AbortSignal,
): Promise<SendResult> {
  const given = outgoing.files ?? []
  const files = needs.mayAttach ? given.filter(({ bytes }) => bytes.byteLength <= largestFile) : []
  const others = given.filter((file) => !files.includes(file))
  const sent = await sendParts(
    needs,
    channel,
    { ...outgoing, ...withFileLinks(outgoing, files, others) },
    signal,
  )
  if (sent.outcome !== "refused" || sent.reason !== noFiles) return sent
  needs.onNoFiles()
  return sendParts(needs, channel, { ...outgoing, ...withFileLinks(outgoing, [], given) }, signal)
}

/** The text with links for the files that are not sent; files without a link are named only if there is nothing else. */
function withFileLinks(
  { text }: OutgoingMessage,
  files: readonly OutgoingFile[],
  others: readonly OutgoingFile[],
): Pick<OutgoingMessage, "text" | "files"> {
  const shown = text.trim() === "" && files.length === 0 ? others : others.filter(({ link }) => link)
  return { text: withFilesAsText(text, shown), files }
}

async function sendParts(
  needs: SendNeeds,
  channel: string,
  outgoing: OutgoingMessage,
  signal: AbortSignal,
): Promise<SendResult> {
  const split = splitText(cleanText(outgoing.text), { limit: longestText, unit: "characters" })
  const files = outgoing.files ?? []
  const parts = split.length === 0 && files.length > 0 ? [""] : split
  if (parts.length === 0) return { outcome: "refused", reason: "The message is empty." }
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
    const attached = index === parts.length - 1 ? files : []
    const sent = await sendPart(needs, channel, { body, files: attached }, outgoing, signal)
    if (sent.outcome !== "sent") return ids.length === 0 ? sent : { outcome: "sent", ids, cut: sent.reason }
    ids.push(...sent.ids)
  }
  return { outcome: "sent", ids }
}

/** A nonce of at most 25 characters, the same for the same part of the same message. */
function nonceOf(channel: string, key: string, part: number): string {
  return createHash("sha256").update(`${channel}\n${key}\n${part}`).digest("base64url").slice(0, 25)
}

async function sendPart(
  needs: SendNeeds,
  channel: string,
  message: Message,
  outgoing: OutgoingMessage,
  signal: AbortSignal,
): Promise<SendResult> {
  const state: PartAttempts = { waitedMs: 0, failures: 0, doubt: undefined }
  for (;;) {
    if (signal.aborted || !outgoing.mayStillSend()) return notSent(state, "It was cancelled.")
    if (!needs.isConnected()) return notSent(state, notConnected)
    const next = nextStep(state, await post(needs, channel, message, signal))
    if (typeof next !== "number") return next
    await sleep(needs.clock, next, signal)
  }
}

interface PartAttempts {
  waitedMs: number
  failures: number
  /** Why an attempt without an answer may have arrived. */
  doubt: string | undefined
}

/** The result, or the milliseconds until the next attempt. */
function nextStep(state: PartAttempts, result: PostResult): SendResult | number {
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
  return state.failures === maxAttempts ? notSent(state, result.reason) : pauseMs * state.failures
}

export const askedToWait = "Discord's rate limit asks to wait before more is sent."

function notSent({ doubt }: PartAttempts, reason: string, retryAfterMs?: number): SendResult {
  if (doubt !== undefined) return { outcome: "unknown", reason: doubt }
  return { outcome: "refused", reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}

type PostResult =
  | { kind: "sent"; id: string }
  | { kind: "refused"; reason: string }
  | { kind: "limited"; retryAfterMs: number }
  | { kind: "unanswered"; reason: string; mayHaveArrived: boolean }

interface Message {
  body: object
  files: readonly OutgoingFile[]
}

const noFiles = "Discord takes no files here."
/** Discord's error codes for missing permissions, a request that is too large, a file that is too large. */
const fileCodes: readonly (string | number)[] = [50_013, 40_005, 50_045]

async function post(
  needs: SendNeeds,
  channel: string,
  { body, files }: Message,
  signal: AbortSignal,
): Promise<PostResult> {
  const { vendor, rest } = needs
  const attached = files.map(({ name, type, bytes }) => ({
    ...{ name, contentType: type, data: Buffer.from(bytes) },
  }))
  try {
    const route = vendor.Routes.channelMessages(channel)
    const answer = await rest.post(route, { body, signal, ...(files.length > 0 ? { files: attached } : {}) })
    return { kind: "sent", id: idIn(answer) }
  } catch (error) {
    if (files.length > 0 && error instanceof vendor.DiscordAPIError && fileCodes.includes(error.code))
      return { kind: "refused", reason: noFiles }
    return failureOf(vendor, error)
  }
}

/** Classifies a failed request. */
export function failureOf(vendor: Vendor, error: unknown): Exclude<PostResult, { kind: "sent" }> {
  if (error instanceof vendor.RateLimitError)
    return { kind: "limited", retryAfterMs: Math.max(1, Math.ceil(error.retryAfter)) }
  if (error instanceof vendor.DiscordAPIError)
    return { kind: "refused", reason: refusalReason(error.code, error.status, messageOf(error)) }
  const mayHaveArrived = !neverLeft.includes(codeOf(error))
  return { kind: "unanswered", reason: `Discord did not answer (${messageOf(error)}).`, mayHaveArrived }
}

const neverLeft: readonly string[] = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ENETUNREACH", "EHOSTUNREACH"]

function idIn(answer: unknown): string {
  return typeof answer === "object" && answer !== null && "id" in answer ? String(answer.id) : ""
}
