import { expect, test } from "vitest"
import {
  anthropicBuckets,
  anthropicUnified,
  codexWindows,
  openAiBuckets,
} from "../../testkit/model-server/rate-headers.ts"

const noon = Date.parse("2026-11-15T12:00:00.000Z")

test("OpenAI tells buckets with durations as Go prints them", () => {
  const bucket = (resetMs: number) =>
    openAiBuckets({ tokens: { limit: 40_000, remaining: 39_000, resetMs } })["x-ratelimit-reset-tokens"]
  expect([20, 1000, 1500, 360_000, 3_600_000].map(bucket)).toEqual(["20ms", "1s", "1.5s", "6m0s", "1h0m0s"])
  expect(openAiBuckets({ requests: { limit: 60, remaining: 59, resetMs: 1000 } })).toEqual({
    "x-ratelimit-limit-requests": "60",
    "x-ratelimit-remaining-requests": "59",
    "x-ratelimit-reset-requests": "1s",
  })
})

test("Anthropic tells buckets with absolute times", () => {
  const bucket = { limit: 50, remaining: 49, resetAt: noon }
  expect(anthropicBuckets({ requests: bucket, inputTokens: bucket })).toEqual({
    "anthropic-ratelimit-requests-limit": "50",
    "anthropic-ratelimit-requests-remaining": "49",
    "anthropic-ratelimit-requests-reset": "2026-11-15T12:00:00Z",
    "anthropic-ratelimit-input-tokens-limit": "50",
    "anthropic-ratelimit-input-tokens-remaining": "49",
    "anthropic-ratelimit-input-tokens-reset": "2026-11-15T12:00:00Z",
  })
})

test("a ChatGPT plan tells two windows in percent", () => {
  const primary = { usedPercent: 12.5, windowMinutes: 300, resetAt: noon }
  expect(codexWindows({ primary, secondary: { ...primary, usedPercent: 3, windowMinutes: 10_080 } })).toEqual(
    {
      "x-codex-primary-used-percent": "12.5",
      "x-codex-primary-window-minutes": "300",
      "x-codex-primary-reset-at": String(noon / 1000),
      "x-codex-secondary-used-percent": "3",
      "x-codex-secondary-window-minutes": "10080",
      "x-codex-secondary-reset-at": String(noon / 1000),
    },
  )
})

test("a Claude plan tells its windows, and the one that decides", () => {
  const headers = anthropicUnified({
    "5h": { utilization: 0.4, resetAt: noon },
    "7d": { utilization: 1, resetAt: noon, status: "rejected" },
  })
  expect(headers).toEqual({
    "anthropic-ratelimit-unified-status": "rejected",
    "anthropic-ratelimit-unified-reset": String(noon / 1000),
    "anthropic-ratelimit-unified-representative-claim": "seven_day",
    "anthropic-ratelimit-unified-5h-utilization": "0.4",
    "anthropic-ratelimit-unified-5h-reset": String(noon / 1000),
    "anthropic-ratelimit-unified-5h-status": "allowed",
    "anthropic-ratelimit-unified-7d-utilization": "1",
    "anthropic-ratelimit-unified-7d-reset": String(noon / 1000),
    "anthropic-ratelimit-unified-7d-status": "rejected",
  })
})
