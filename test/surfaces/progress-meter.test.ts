import { expect, test } from "vitest"
import { openMeter } from "../../src/surfaces/cli/view/progress-meter.ts"
import { createManualClock } from "../../testkit/manual-clock.ts"

test("a progress line shows share and amount at once, and rate and time left after half a second", async () => {
  const lines: string[] = []
  const clock = createManualClock()
  const meter = openMeter(
    { output: { progress: (text) => void lines.push(text) }, clock },
    { doing: "Embedding", unit: "memories" },
  )
  meter.update({ done: 10, share: 0.1 })
  await clock.advance(2000)
  meter.update({ done: 2500, share: 0.25 })
  meter.update({ done: 2500 })
  meter.end()
  expect(lines).toEqual([
    "Embedding: ██░░░░░░░░░░░░░░░░░░ 10 % 10 memories",
    "Embedding: █████░░░░░░░░░░░░░░░ 25 % 2,500 memories · 1,250 memories/s · 6 s left",
    "Embedding: 2,500 memories · 1,250 memories/s",
    "",
  ])
})
