/** How full a bucket is that refills all the time. */
interface Bucket {
  limit: number
  remaining: number
  /** Milliseconds until it is full again. */
  resetMs: number
}

/** OpenAI's headers for an API key. */
export function openAiBuckets(buckets: { requests?: Bucket; tokens?: Bucket }): Record<string, string> {
  return merge(
    Object.entries(buckets).map(([name, { limit, remaining, resetMs }]) => ({
      [`x-ratelimit-limit-${name}`]: String(limit),
      [`x-ratelimit-remaining-${name}`]: String(remaining),
      [`x-ratelimit-reset-${name}`]: goDuration(resetMs),
    })),
  )
}

/** Anthropic's headers for an API key. Times are absolute there. */
export function anthropicBuckets(
  buckets: Partial<
    Record<
      "requests" | "tokens" | "inputTokens" | "outputTokens",
      Omit<Bucket, "resetMs"> & { resetAt: number }
    >
  >,
): Record<string, string> {
  return merge(
    Object.entries(buckets).map(([name, { limit, remaining, resetAt }]) => {
      const prefix = `anthropic-ratelimit-${name.replace("Tokens", "-tokens")}`
      return {
        [`${prefix}-limit`]: String(limit),
        [`${prefix}-remaining`]: String(remaining),
        [`${prefix}-reset`]: new Date(resetAt).toISOString().replace(/\.\d+Z$/, "Z"),
      }
    }),
  )
}

interface CodexWindow {
  usedPercent: number
  windowMinutes: number
  /** Milliseconds since 1970. */
  resetAt: number
}

/** Headers of the back end of ChatGPT plans: primary is five hours, secondary a week. */
export function codexWindows(windows: {
  primary?: CodexWindow
  secondary?: CodexWindow
}): Record<string, string> {
  return merge(
    Object.entries(windows).map(([name, { usedPercent, windowMinutes, resetAt }]) => ({
      [`x-codex-${name}-used-percent`]: String(usedPercent),
      [`x-codex-${name}-window-minutes`]: String(windowMinutes),
      [`x-codex-${name}-reset-at`]: String(Math.floor(resetAt / 1000)),
    })),
  )
}

interface UnifiedWindow {
  /** From 0 to 1. */
  utilization: number
  /** Milliseconds since 1970. */
  resetAt: number
  status?: "allowed" | "allowed_warning" | "rejected"
}

/** Anthropic's headers for a subscription. */
export function anthropicUnified(windows: {
  "5h"?: UnifiedWindow
  "7d"?: UnifiedWindow
}): Record<string, string> {
  const entries = Object.entries(windows)
  const worst = entries.find(([, window]) => window.status === "rejected") ?? entries[0]
  const overall: Record<string, string> =
    worst === undefined
      ? {}
      : {
          "anthropic-ratelimit-unified-status": worst[1].status ?? "allowed",
          "anthropic-ratelimit-unified-reset": seconds(worst[1].resetAt),
          "anthropic-ratelimit-unified-representative-claim": worst[0] === "5h" ? "five_hour" : "seven_day",
        }
  return merge([
    overall,
    ...entries.map(([name, { utilization, resetAt, status = "allowed" }]) => ({
      [`anthropic-ratelimit-unified-${name}-utilization`]: String(utilization),
      [`anthropic-ratelimit-unified-${name}-reset`]: seconds(resetAt),
      [`anthropic-ratelimit-unified-${name}-status`]: status,
    })),
  ])
}

/** As Go prints durations: `20ms`, `1s`, `1.5s`, `6m0s`, `1h0m0s`. */
function goDuration(ms: number): string {
  if (ms < 1000) return `${ms}ms`
  const minutes = Math.floor(ms / 60_000)
  const rest = `${(ms % 60_000) / 1000}s`
  if (minutes === 0) return rest
  if (minutes < 60) return `${minutes}m${rest}`
  return `${Math.floor(minutes / 60)}h${minutes % 60}m${rest}`
}

function seconds(ms: number): string {
  return String(Math.floor(ms / 1000))
}

function merge(parts: Record<string, string>[]): Record<string, string> {
  return Object.assign({}, ...parts)
}
