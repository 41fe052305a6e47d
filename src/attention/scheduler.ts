import { startLoop } from "../base/loop.ts"
import type { Core } from "../storage/core.ts"
import { decideHalt, decideWake, type Situation, type Wake } from "./wake.ts"

/** A decision to begin. */
export type Begin = Extract<Wake, { outcome: "run" }>

interface SchedulerNeeds extends Pick<Core, "clock" | "log"> {
  /** One look at everything that decides; nothing slow, no model. */
  look(): Promise<Situation>
  /** Runs one cycle to its end. */
  run(begin: Begin, signal: AbortSignal): Promise<void>
  /** Called when something changed that may bring the next wake nearer; returns how to stop. */
  onNews(listener: () => void): () => void
}

/** The one loop. */
export interface Scheduler {
  /** What it decided last, for whoever asks how it stands. */
  last(): Wake | undefined
  /** Nothing until the next look; looking whether it is time; in a cycle. */
  phase(): "resting" | "looking" | "tending"
  /** Ends the running cycle and the loop. */
  stop(): Promise<void>
}

/** Timers are never longer than this: after a suspend or a jump of the clock things are looked at again soon. */
const longestSleepMs = 60_000
/** News come in bursts; one look for each is too many. */
const gatherMs = 250
/** While a cycle runs it is looked so often whether it should stop. */
const watchMs = 2000
/** After a failure of the loop itself. */
const againMs = 30_000

/** Starts the loop: look, decide, run or sleep, for ever. Deadlines are moments, never spans. */
export function startScheduler(needs: SchedulerNeeds): Scheduler {
  const { clock } = needs
  let last: Wake | undefined
  let isRunning = false
  const work = async (stopping: AbortSignal): Promise<number> => {
    last = decideWake({ ...(await needs.look()), isRunning: false })
    if (last.outcome === "wait") return Math.min(longestSleepMs, Math.max(0, last.until - clock.now()))
    const watch = watchRun(needs, last, stopping)
    isRunning = true
    try {
      await needs.run(last, watch.signal)
    } finally {
      isRunning = false
      watch.end()
    }
    return 0
  }
  const problem = "The scheduler stumbled; it looks again"
  const loop = startLoop(needs, { work, firstMs: 0, problem, retryMs: againMs, level: "error" })
  const stopListening = needs.onNews(() => loop.putOff(gatherMs))
  return {
    last: () => last,
    phase: () => (isRunning ? "tending" : loop.isWorking() ? "looking" : "resting"),
    async stop() {
      stopListening()
      await loop.stop("the daemon stopped")
    },
  }
}

/** Looks again and again while a cycle runs, and halts it when the user begins to work, pauses it or switches it off. */
function watchRun(needs: SchedulerNeeds, { why }: Begin, stopping: AbortSignal) {
  const halting = new AbortController()
  const since = needs.clock.now()
  const work = async () => {
    const halt = decideHalt(await needs.look(), why, since)
    if (halt === undefined) return watchMs
    halting.abort(new Error(halt))
    return Number.POSITIVE_INFINITY
  }
  const problem = "It could not be seen whether the cycle should stop"
  const loop = startLoop(needs, { work, firstMs: watchMs, problem, retryMs: watchMs })
  return {
    signal: AbortSignal.any([stopping, halting.signal]),
    end: () => void loop.stop(),
  }
}
