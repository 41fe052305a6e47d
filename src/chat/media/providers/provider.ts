import type { Clock } from "../../../base/clock.ts"
import type { NotFetched } from "../../../base/net/safe-fetch/outcome.ts"
import type { SafeFetch } from "../../../base/net/safe-fetch/safe-fetch.ts"
import { isLoopback, isSafeForKeys } from "../../../base/net/web-address.ts"
import type { Random } from "../../../base/random.ts"
import { tryParseJson } from "../../../base/text/json.ts"
import type { OutgoingFile } from "../../channels/channel.ts"
import type { MediaKeyName } from "../keyed-media.ts"
import type { MediaSettings } from "../settings.ts"

interface ProviderRequest {
  prompt: string
  /** Empty for GIFs, which no model makes. */
  model: string
}

export type ProviderOutcome =
  | { outcome: "made"; files: OutgoingFile[] }
  /** `isSpent`: it may have been made and paid for all the same. */
  | { outcome: "failed"; reason: string; isSpent: boolean }

export interface ProviderNeeds {
  clock: Clock
  random: Random
  fetch: SafeFetch
  settings: MediaSettings["media"]
  keyFor(name: MediaKeyName): string | undefined
}

/** Makes or finds media. Never throws. */
export type MediaProvider = (
  needs: ProviderNeeds,
  request: ProviderRequest,
  signal: AbortSignal,
) => Promise<ProviderOutcome>

/** A configured server, with what each request to it needs. */
export interface Endpoint {
  base: string
  secretHeaders: Record<string, string>
  /** The server itself may be in a private network; where it redirects may not. */
  privateHosts: string[]
}

/** The server and key for a kind; or why there is none. */
export function endpointOf(
  { settings, keyFor }: ProviderNeeds,
  name: "image" | "video",
): Endpoint | { problem: string } {
  const configured = settings[`${name}_url`]
  const base = (configured || "https://api.openai.com/v1").replace(/\/$/, "")
  const key = keyFor(name)
  if (key === undefined && !isLoopback(base))
    return { problem: `There is no key for chat.initiative.media.${name}_url.` }
  if (key !== undefined && !isSafeForKeys(base))
    return { problem: `chat.initiative.media.${name}_url must use https, because a key is sent there.` }
  return {
    base,
    secretHeaders: key === undefined ? {} : { authorization: `Bearer ${key}` },
    privateHosts: configured === "" ? [] : [new URL(base).host],
  }
}

/** The configured limits of time and size for a request. */
export function limitsFor({ timeout_seconds, max_file_mb }: MediaSettings["media"]) {
  const totalMs = timeout_seconds * 1000
  const mostBytes = Math.ceil(max_file_mb * 1_000_000)
  return { totalMs, firstByteMs: totalMs, mostBytes, mostUnpackedBytes: mostBytes, gapMs: 0 }
}

/** Limits for base64 in JSON, which takes a third more. */
export function encodedLimits(settings: MediaSettings["media"]) {
  const limits = limitsFor(settings)
  const mostBytes = Math.ceil(limits.mostBytes * 1.4) + 100_000
  return { ...limits, mostBytes, mostUnpackedBytes: mostBytes }
}

/** The result of a failed request, and whether the server may have worked for it. */
export function failedBy({ why, message, status = 0 }: NotFetched, what: string): ProviderOutcome {
  const neverBegan = why === "address" || why === "unreachable" || why === "redirect" || why === "busy"
  const isRefused = why === "status" && status >= 400 && status < 500
  return { outcome: "failed", reason: `${what}: ${message}.`, isSpent: !neverBegan && !isRefused }
}

export function failed(reason: string, isSpent: boolean): ProviderOutcome {
  return { outcome: "failed", reason, isSpent }
}

/** The JSON of a response; undefined if it is not JSON. */
export function jsonOf(body: Uint8Array): unknown {
  return tryParseJson(new TextDecoder().decode(body))
}
