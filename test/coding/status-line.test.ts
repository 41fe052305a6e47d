import { expect, it } from "vitest"
import { readStatusLine } from "../../src/coding/usage/status-line.ts"

const now = Date.UTC(2026, 10, 15)

it("learns the windows that Claude Code hands to its status line", () => {
  const input = {
    model: { id: "claude-opus-5-5" },
    rate_limits: {
      five_hour: { used_percentage: 23.4, resets_at: 1794726984 },
      seven_day: { used_percentage: 41, resets_at: "2026-11-18T00:00:00Z" },
    },
  }
  expect(readStatusLine(input, now)).toEqual([
    {
      window: "5h",
      unit: "percent",
      capacity: 100,
      used: 23.4,
      resetsAt: 1794726984000,
      lengthMs: 18_000_000,
      at: now,
    },
    {
      window: "7d",
      unit: "percent",
      capacity: 100,
      used: 41,
      resetsAt: Date.UTC(2026, 10, 18),
      lengthMs: 604_800_000,
      at: now,
    },
  ])
})

it.each([undefined, null, "text", {}, { rate_limits: null }, { rate_limits: { five_hour: { used: 1 } } }])(
  "learns nothing from %j",
  (input) => expect(readStatusLine(input, now)).toEqual([]),
)
