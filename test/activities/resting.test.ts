import { expect, test } from "vitest"
import { startResting } from "../../src/activities/resting.ts"
import { silentLog } from "../../src/base/log.ts"
import type { Embedder, EmbedderStatus } from "../../src/embedding/embedder.ts"
import { createManualClock } from "../../testkit/manual-clock.ts"

test("gives memory back once the daemon has started, and each time the model was put away", async () => {
  const clock = createManualClock()
  let state: EmbedderStatus["state"] = "idle"
  let collected = 0
  const embedder = { status: () => ({ state }) } as Embedder
  const collectGarbage = () => {
    collected += 1
  }
  const stop = startResting({ clock, log: silentLog, embedder, collectGarbage })
  await clock.advance(30_000)
  expect(collected).toBe(1)
  await clock.advance(300_000)
  expect(collected).toBe(1)
  state = "ready"
  await clock.advance(60_000)
  expect(collected).toBe(1)
  state = "idle"
  await clock.advance(60_000)
  expect(collected).toBe(2)
  await stop()
})
