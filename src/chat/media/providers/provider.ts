import type { Clock } from "../../../base/clock.ts"
import type { NotFetched } from "../../../base/net/safe-fetch/outcome.ts"
import type { SafeFetch } from "../../../base/net/safe-fetch/safe-fetch.ts"
import { isLoopback, mayCarryKey } from "../../../base/net/web-address.ts"
import type { Random } from "../../../base/random.ts"
import { jsonIn } from "../../../base/text/json.ts"
import type { OutgoingFile } from "../../channels/channel.ts"
import type { KeyedMedia } from "../keyed-media.ts"
import type { MediaSettings } from "../settings.ts"

/** What somebody is asked for. */
interface MediaWish {
  prompt: string
  /** Empty for GIFs, which no model makes. */
  model: string
}

/** What came of asking. */
export type ProviderOutcome =
  | { outcome: "made"; files: OutgoingFile[] }
  /** `isSpent`: it may have been made, and paid for, although nothing came. */
  | { outcome: "failed"; reason: string; isSpent: boolean }

export interface ProviderNeeds {
  clock: Clock
  random: Random
  fetch: SafeFetch
  settings: MediaSettings["media"]
  keyFor(name: KeyedMedia): string | undefined
}

/** Somebody who makes or finds media. It never throws. */
export type MediaProvider = (
  needs: ProviderNeeds,
  wish: MediaWish,
  signal: AbortSignal,
) => Promise<ProviderOutcome>

/** A server that the person chose, and what goes with each request to it. */
export interface Endpoint {
  base: string
  secretHeaders: Record<string, string>
  /** The server itself may be in the person's own network; where it leads to may not. */
  privateHosts: string[]
}

/** Where requests go and with which key; or why none can be made. */
export function endpointOf(
  { settings, keyFor }: ProviderNeeds,
  name: "image" | "video",
): Endpoint | { problem: string } {
  const given = settings[`${name}_url`]
  const base = (given || "https://api.openai.com/v1").replace(/\/$/, "")
  const key = keyFor(name)
  if (key === undefined && !isLoopback(base))
    return { problem: `There is no key for chat.initiative.media.${name}_url.` }
  if (key !== undefined && !mayCarryKey(base))
    return { problem: `chat.initiative.media.${name}_url must use https, because a key is sent there.` }
  return {
    base,
    secretHeaders: key === undefined ? {} : { authorization: `Bearer ${key}` },
    privateHosts: given === "" ? [] : [new URL(base).host],
  }
}

/** What a request may take: as long and as much as the person said. */
export function limitsFor({ timeout_seconds, max_file_mb }: MediaSettings["media"]) {
  const totalMs = timeout_seconds * 1000
  const mostBytes = Math.ceil(max_file_mb * 1_000_000)
  return { totalMs, firstByteMs: totalMs, mostBytes, mostUnpackedBytes: mostBytes, gapMs: 0 }
}

/** Base64 takes a third more, and there is some JSON around it. */
export function encodedLimits(settings: MediaSettings["media"]) {
  const limits = limitsFor(settings)
  const mostBytes = Math.ceil(limits.mostBytes * 1.4) + 100_000
  return { ...limits, mostBytes, mostUnpackedBytes: mostBytes }
}

/** A request that failed, and whether the server may have worked for it. */
export function failedBy({ why, message, status = 0 }: NotFetched, what: string): ProviderOutcome {
  const neverBegan = why === "address" || why === "unreachable" || why === "redirect" || why === "busy"
  const isRefused = why === "status" && status >= 400 && status < 500
  return { outcome: "failed", reason: `${what}: ${message}.`, isSpent: !neverBegan && !isRefused }
}

export function failed(reason: string, isSpent: boolean): ProviderOutcome {
  return { outcome: "failed", reason, isSpent }
}

/** The JSON of an answer; undefined where it is none. */
export function jsonOf(body: Uint8Array): unknown {
  return jsonIn(new TextDecoder().decode(body))
}
