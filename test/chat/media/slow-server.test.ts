import { expect, test } from "vitest"
import { sleep } from "../../../src/base/clock.ts"
import { makeMedia } from "../../../src/chat/media/make-media.ts"
import { createSimulationClock, ready } from "../../../testkit/chat/simulation/clock.ts"
import { openMediaParts } from "../../../testkit/media/world.ts"
import { sqliteDatabase } from "../../../testkit/setup/databases.ts"

const minute = 60_000

/** A video is ordered from a server that always says that it is queued, and takes some time to say so. */
async function order(answerMs: number) {
  const time = createSimulationClock()
  const clock = time.live()
  const db = await sqliteDatabase().open()
  const parts = openMediaParts({
    ...{ db, clock, media: { timeout_seconds: 120 } },
    async fetch(_, { signal } = {}) {
      await sleep(clock, answerMs, signal)
      if (signal?.aborted) return { ok: false, why: "stopped", message: "it was called off" }
      const body = Buffer.from(JSON.stringify({ id: "v", status: "queued" }))
      return { ok: true, status: 200, url: "", headers: new Map(), body }
    },
  })
  const request = { community: "test/c", purpose: "post" as const, at: clock.now() }
  const making = makeMedia(
    parts,
    { kind: "video", prompt: "a fern" },
    { ...request, signal: new AbortController().signal },
  )
  let came: Awaited<typeof making> | undefined
  void making.then((made) => {
    came = made
  })
  await ready()
  return { time, came: () => came }
}

const late = {
  outcome: "refused",
  reason: "It took longer than chat.initiative.media.timeout_seconds.",
}

test("a video is given up after timeout_seconds although the clock was set back meanwhile", async () => {
  const { time, came } = await order(1)
  await time.advance(minute)
  expect(came()).toBeUndefined()
  time.jump(-25 * 60 * minute)
  await time.advance(minute)
  expect(came()).toMatchObject(late)
})

test("all requests of one video together take no longer than timeout_seconds", async () => {
  const { time, came } = await order(100_000)
  await time.advance(119_000)
  expect(came()).toBeUndefined()
  await time.advance(1000)
  expect(came()).toMatchObject(late)
})
