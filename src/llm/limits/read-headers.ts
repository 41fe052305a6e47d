import { parseTime } from "../../base/clock.ts"
import type { LimitReading, LimitUnit } from "./limit-reading.ts"

type Headers = Readonly<Record<string, string | undefined>>

/** Everything a response's headers tell about limits, whichever provider they are of. */
export function readHeaders(headers: Headers, now: number): LimitReading[] {
  const get = (name: string) => headers[name] ?? headers[name.toLowerCase()]
  return [
    ...openAiBuckets(get, now),
    ...anthropicBuckets(get, now),
    ...codexWindows(get, now),
    ...unifiedWindows(get, now),
  ]
}

type Get = (name: string) => string | undefined

const minuteMs = 60_000

/** x-ratelimit-limit-tokens, -remaining-tokens, -reset-tokens, and the same for requests. */
function openAiBuckets(get: Get, now: number): LimitReading[] {
  return (["requests", "tokens"] as const).flatMap((unit) =>
    bucket(unit, now, {
      limit: number(get(`x-ratelimit-limit-${unit}`)),
      remaining: number(get(`x-ratelimit-remaining-${unit}`)),
      resetsAt: resetTime(get(`x-ratelimit-reset-${unit}`), now),
    }),
  )
}

/** anthropic-ratelimit-tokens-limit, -remaining, -reset, and the same for requests, input and output tokens. */
function anthropicBuckets(get: Get, now: number): LimitReading[] {
  return (["requests", "tokens", "input-tokens", "output-tokens"] as const).flatMap((unit) =>
    bucket(unit, now, {
      limit: number(get(`anthropic-ratelimit-${unit}-limit`)),
      remaining: number(get(`anthropic-ratelimit-${unit}-remaining`)),
      resetsAt: resetTime(get(`anthropic-ratelimit-${unit}-reset`), now),
    }),
  )
}

interface BucketHeaders {
  limit: number | undefined
  remaining: number | undefined
  resetsAt: number | undefined
}

function bucket(unit: LimitUnit, at: number, { limit, remaining, resetsAt }: BucketHeaders): LimitReading[] {
  if (limit === undefined || remaining === undefined || limit <= 0) return []
  const used = Math.min(limit, Math.max(0, limit - remaining))
  return [{ window: unit, unit, capacity: limit, used, resetsAt: resetsAt ?? null, lengthMs: minuteMs, at }]
}

/** x-codex-primary-used-percent, -window-minutes, -reset-at (seconds since 1970) or -reset-after-seconds. */
function codexWindows(get: Get, now: number): LimitReading[] {
  return ["primary", "secondary"].flatMap((name) => {
    const used = number(get(`x-codex-${name}-used-percent`))
    if (used === undefined) return []
    const minutes = number(get(`x-codex-${name}-window-minutes`))
    const after = number(get(`x-codex-${name}-reset-after-seconds`))
    const resetsAt =
      resetTime(get(`x-codex-${name}-reset-at`), now) ??
      (after === undefined ? undefined : now + after * 1000)
    return [percentReading({ used, minutes, resetsAt, name, at: now })]
  })
}

/** anthropic-ratelimit-unified-5h-utilization (a share of 1), -reset (seconds since 1970), and the same for 7d. */
function unifiedWindows(get: Get, now: number): LimitReading[] {
  return [
    { name: "5h", minutes: 300 },
    { name: "7d", minutes: 10_080 },
  ].flatMap(({ name, minutes }) => {
    const share = number(get(`anthropic-ratelimit-unified-${name}-utilization`))
    const isRejected = get(`anthropic-ratelimit-unified-${name}-status`) === "rejected"
    if (share === undefined && !isRejected) return []
    const resetsAt = resetTime(get(`anthropic-ratelimit-unified-${name}-reset`), now)
    const used = isRejected ? 100 : (share ?? 0) * 100
    return [percentReading({ used, minutes, resetsAt, name, at: now })]
  })
}

interface PercentWindow {
  used: number
  minutes: number | undefined
  resetsAt: number | undefined
  name: string
  at: number
}

/** A window of a subscription, named by its length where that is known. */
export function percentReading({ used, minutes, resetsAt, name, at }: PercentWindow): LimitReading {
  const lengthMs = minutes === undefined || minutes <= 0 ? null : minutes * minuteMs
  return {
    window: lengthMs === null ? name : windowName(lengthMs),
    unit: "percent",
    capacity: 100,
    used: Math.min(100, Math.max(0, used)),
    resetsAt: resetsAt ?? null,
    lengthMs,
    at,
  }
}

function windowName(lengthMs: number): string {
  const hours = lengthMs / 3_600_000
  return hours >= 48 && hours % 24 === 0 ? `${hours / 24}d` : `${Math.round(hours * 10) / 10}h`
}

/** From when on a refused request may be sent again; undefined where the headers do not tell. */
export function retryTime(headers: Headers, now: number): number | undefined {
  const milliseconds = number(headers["retry-after-ms"])
  if (milliseconds !== undefined) return now + milliseconds
  const after = headers["retry-after"]
  const seconds = number(after)
  if (seconds !== undefined) return now + seconds * 1000
  const date = after === undefined ? undefined : parseTime(after)
  if (date !== undefined) return Math.max(now, date)
  return lastReset(readHeaders(headers, now))
}

/** When the last of the used-up windows resets; undefined where none is, or nobody tells. */
export function lastReset(readings: readonly LimitReading[]): number | undefined {
  const full = readings.filter(({ used, capacity }) => used >= capacity)
  const resets = full.flatMap(({ resetsAt }) => (resetsAt === null ? [] : [resetsAt]))
  return resets.length === 0 ? undefined : Math.max(...resets)
}

function number(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === "") return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** A moment in any of the forms seen: seconds or milliseconds since 1970, an ISO time, a span such as 6m0s. */
function resetTime(text: string | undefined, now: number): number | undefined {
  if (text === undefined || text.trim() === "") return undefined
  const value = number(text)
  if (value !== undefined) return value > 1e12 ? value : value > 1e9 ? value * 1000 : now + value * 1000
  const span = spanMs(text.trim())
  if (span !== undefined) return now + span
  return parseTime(text)
}

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Spans such as 1h2m3.5s or 20ms. */
function spanMs(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return undefined
  let sum = 0
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
    sum += Number(amount) * (unitMs[unit ?? ""] ?? 0)
  return sum
}
