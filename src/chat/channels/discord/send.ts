import { createHash } from "node:crypto"
import type { REST } from "discord.js"
import { type Clock, sleep } from "../../../base/clock.ts"
import { codeOf, messageOf } from "../../../base/errors.ts"
import type { Outgoing, OutgoingFile, Sent } from "../channel.ts"
import { cleanText } from "../text/clean.ts"
import { withFilesAsText } from "../text/files-as-text.ts"
import { splitText } from "../text/split-text.ts"
import { notConnected, refusalSentence } from "./sentences.ts"

type Vendor = typeof import("discord.js")

export interface SendNeeds {
  clock: Clock
  vendor: Vendor
  rest: REST
  notifyReplied: boolean
  isConnected(): boolean
  /** Whether files may be sent in this channel; told of one that took none. */
  mayAttach: boolean
  onNoFiles(): void
}

/** Discord's own limit for bots. */
export const longestText = 2000
/** Discord's limit for a file in servers without extras; some is left for what stands around it. */
export const largestFile = 10 * 1024 * 1024 - 64 * 1024
/** How long one message may wait for its turn when Discord says to wait; beyond it whoever sends decides. */
export const longestWaitMs = 15_000
/** How often a part is sent whose answer did not come. Its nonce keeps Discord from posting it twice. */
const mostAttempts = 3
const pauseMs = 1000

/** Says something in a channel, in as many messages as it takes; files go with the last one. */
export async function sendText(
  needs: SendNeeds,
  channel: string,
  outgoing: Outgoing,
  signal: AbortSignal,
): Promise<Sent> {
  const given = outgoing.files ?? []
  const files = needs.mayAttach ? given.filter(({ bytes }) => bytes.byteLength <= largestFile) : []
  const others = given.filter((file) => !files.includes(file))
  const sent = await sendParts(needs, channel, { ...outgoing, ...said(outgoing, files, others) }, signal)
  if (sent.outcome !== "refused" || sent.reason !== noFiles) return sent
  needs.onNoFiles()
  return sendParts(needs, channel, { ...outgoing, ...said(outgoing, [], given) }, signal)
}

/** The text with links for the files that do not come along; what cannot be seen at all is not spoken of. */
function said(
  { text }: Outgoing,
  files: readonly OutgoingFile[],
  others: readonly OutgoingFile[],
): Pick<Outgoing, "text" | "files"> {
  const shown = text.trim() === "" && files.length === 0 ? others : others.filter(({ link }) => link)
  return { text: withFilesAsText(text, shown), files }
}

async function sendParts(
  needs: SendNeeds,
  channel: string,
  outgoing: Outgoing,
  signal: AbortSignal,
): Promise<Sent> {
  const split = splitText(cleanText(outgoing.text), { limit: longestText, unit: "characters" })
  const files = outgoing.files ?? []
  const parts = split.length === 0 && files.length > 0 ? [""] : split
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
    const attached = index === parts.length - 1 ? files : []
    const sent = await sendPart(needs, channel, { body, files: attached }, outgoing, signal)
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
  message: Message,
  outgoing: Outgoing,
  signal: AbortSignal,
): Promise<Sent> {
  const state: Trying = { waitedMs: 0, failures: 0, doubt: undefined }
  for (;;) {
    if (signal.aborted || !outgoing.mayStillSend()) return notSent(state, "It was called off.")
    if (!needs.isConnected()) return notSent(state, notConnected)
    const next = whatNow(state, await post(needs, channel, message, signal))
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

interface Message {
  body: object
  files: readonly OutgoingFile[]
}

/** A refusal of files, not of the message. */
const noFiles = "Discord takes no files here."
/** Missing permissions, a request that is too large, a file that is. */
const fileCodes: readonly (string | number)[] = [50_013, 40_005, 50_045]

async function post(
  needs: SendNeeds,
  channel: string,
  { body, files }: Message,
  signal: AbortSignal,
): Promise<Posted> {
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
