import { parseTime } from "../../base/clock.ts"
import type { LimitReading, LimitUnit } from "./limit-reading.ts"

type Headers = Readonly<Record<string, string | undefined>>

/** Reads the rate limits in response headers, of any provider. */
export function readHeaders(headers: Headers, now: number): LimitReading[] {
  const get = (name: string) => headers[name] ?? headers[name.toLowerCase()]
  return [...bucketReadings(get, now), ...codexWindows(get, now), ...unifiedWindows(get, now)]
}

type Get = (name: string) => string | undefined

const minuteMs = 60_000

/** Headers of OpenAI and Anthropic about requests and tokens per minute, such as x-ratelimit-remaining-tokens. */
const buckets: { unit: LimitUnit; header(field: "limit" | "remaining" | "reset"): string }[] = [
  ...(["requests", "tokens"] as const).map((unit) => ({
    unit,
    header: (field: string) => `x-ratelimit-${field}-${unit}`,
  })),
  ...(["requests", "tokens", "input-tokens", "output-tokens"] as const).map((unit) => ({
    unit,
    header: (field: string) => `anthropic-ratelimit-${unit}-${field}`,
  })),
]

function bucketReadings(get: Get, at: number): LimitReading[] {
  return buckets.flatMap(({ unit, header }) => {
    const limit = number(get(header("limit")))
    const remaining = number(get(header("remaining")))
    if (limit === undefined || remaining === undefined || limit <= 0) return []
    const used = Math.min(limit, Math.max(0, limit - remaining))
    const resetsAt = resetTime(get(header("reset")), at) ?? null
    return [{ window: unit, unit, capacity: limit, used, resetsAt, lengthMs: minuteMs, at }]
  })
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

/** One window of a subscription, named by its length if that is known. */
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

/** When a refused request may be sent again; undefined if the headers do not say. */
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

/** When the last of the exhausted windows resets; undefined if none is exhausted or the time is unknown. */
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

/** A time in any known form: seconds or milliseconds since 1970, an ISO time, a duration such as 6m0s. */
function resetTime(text: string | undefined, now: number): number | undefined {
  if (text === undefined || text.trim() === "") return undefined
  const value = number(text)
  if (value !== undefined) return value > 1e12 ? value : value > 1e9 ? value * 1000 : now + value * 1000
  const span = spanMs(text.trim())
  if (span !== undefined) return now + span
  return parseTime(text)
}

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Durations such as 1h2m3.5s or 20ms. */
function spanMs(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return undefined
  let sum = 0
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
    sum += Number(amount) * (unitMs[unit ?? ""] ?? 0)
  return sum
}
