import { describe, expect, it } from "vitest"
import { silentLog } from "../../src/base/log.ts"
import { startLoop } from "../../src/base/loop.ts"
import { createManualClock } from "../../testkit/manual-clock.ts"

function open(work: (signal: AbortSignal) => Promise<number>, firstMs?: number) {
  const clock = createManualClock()
  const begun = clock.now()
  const times: number[] = []
  const logged: string[] = []
  const log = { ...silentLog, warn: (message: string) => void logged.push(message) }
  const loop = startLoop(
    { clock, log },
    {
      async work(signal) {
        times.push(clock.now() - begun)
        return work(signal)
      },
      ...(firstMs === undefined ? {} : { firstMs }),
      problem: "It failed",
      retryMs: 70,
    },
  )
  return { clock, loop, times, logged }
}

/** Work that ends when it is told to. */
function held() {
  const ends: ((ms: number) => void)[] = []
  return {
    work: () => new Promise<number>((resolve) => ends.push(resolve)),
    end: (ms: number) => ends.shift()?.(ms),
  }
}

describe("A loop", () => {
  it("works at once, and as long after each end as the work says", async () => {
    const { clock, times } = open(async () => 100)
    await clock.advance(0)
    await clock.advance(250)
    expect(times).toEqual([0, 100, 200])
  })

  it("goes on after a failure", async () => {
    const { clock, times, logged } = open(async () => Promise.reject(new Error("no")), 10)
    await clock.advance(160)
    expect(times).toEqual([10, 80, 150])
    expect(logged).toEqual(["It failed", "It failed", "It failed"])
  })

  it("is woken: signs do not put it off, unless they are to", async () => {
    const { clock, loop, times } = open(async () => Number.POSITIVE_INFINITY)
    await clock.advance(0)
    loop.wakeWithin(100)
    await clock.advance(60)
    loop.wakeWithin(100)
    await clock.advance(60)
    expect(times).toEqual([0, 100])
    loop.postpone(100)
    await clock.advance(60)
    loop.postpone(100)
    await clock.advance(60)
    expect(times).toEqual([0, 100])
    await clock.advance(60)
    expect(times).toEqual([0, 100, 280])
  })

  it("is not put off for ever by news that never end", async () => {
    const { clock, loop, times } = open(async () => Number.POSITIVE_INFINITY)
    await clock.advance(0)
    for (let news = 0; news < 30; news += 1) {
      loop.postpone(100)
      await clock.advance(50)
    }
    expect(times).toEqual([0, 1000])
  })

  it("never works twice at a time, and begins again soon after its end where it was woken meanwhile", async () => {
    const { work, end } = held()
    const { clock, loop, times } = open(work)
    loop.wakeWithin(50)
    await clock.advance(200)
    expect(times).toEqual([0])
    end(1000)
    await clock.advance(0)
    await clock.advance(60)
    expect(times).toEqual([0, 250])
    expect(loop.isRunning()).toBe(true)
  })

  it("tells its work when it is stopped, waits for it, and does nothing more", async () => {
    const { work, end } = held()
    const seen: AbortSignal[] = []
    const { clock, loop, times } = open(async (signal) => {
      seen.push(signal)
      return work()
    })
    let isStopped = false
    const stopped = loop.stop("enough").then(() => {
      isStopped = true
    })
    await clock.advance(10)
    expect(seen[0]?.reason).toMatchObject({ message: "enough" })
    expect(isStopped).toBe(false)
    end(5)
    await stopped
    loop.wakeWithin(1)
    await loop.runNow()
    await clock.advance(100)
    expect(times).toEqual([0])
    expect(clock.waiting).toBe(0)
  })
})
