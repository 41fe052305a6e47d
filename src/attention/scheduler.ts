import { startLoop } from "../base/loop.ts"
import type { Core } from "../storage/core.ts"
import { decideHalt, decideWake, type Situation, type Wake } from "./wake.ts"

/** A decision to run a cycle now. */
export type RunDecision = Extract<Wake, { outcome: "run" }>

interface SchedulerOptions extends Pick<Core, "clock" | "log"> {
  /** Reads everything that the decision depends on; fast, and without a model. */
  readSituation(): Promise<Situation>
  /** Runs one cycle to its end. */
  run(begin: RunDecision, signal: AbortSignal): Promise<void>
  /** Subscribes to changes that may bring the next wake nearer; returns a function that unsubscribes. */
  onChange(listener: () => void): () => void
}

/** The loop that starts cycles. */
export interface Scheduler {
  /** Its last decision. */
  last(): Wake | undefined
  /** Asleep; deciding; running a cycle. */
  phase(): "resting" | "looking" | "tending"
  /** Ends the running cycle and the loop. */
  stop(): Promise<void>
}

/** Timers are never longer than this, so that it decides again soon after a suspend or a jump of the clock. */
const longestSleepMs = 60_000
/** Changes come in bursts; one decision for all of them is enough. */
const gatherMs = 250
/** How often it checks whether a running cycle should stop. */
const watchMs = 2000
/** After a failure of the loop itself. */
const againMs = 30_000

/** Starts the loop: read the situation, decide, run or sleep. */
export function startScheduler(needs: SchedulerOptions): Scheduler {
  const { clock } = needs
  let last: Wake | undefined
  let isRunning = false
  const work = async (stopping: AbortSignal): Promise<number> => {
    last = decideWake({ ...(await needs.readSituation()), isRunning: false })
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
  const problem = "The scheduler failed; it will try again"
  const loop = startLoop(needs, { work, firstMs: 0, problem, retryMs: againMs, level: "error" })
  const stopListening = needs.onChange(() => loop.postpone(gatherMs))
  return {
    last: () => last,
    phase: () => (isRunning ? "tending" : loop.isRunning() ? "looking" : "resting"),
    async stop() {
      stopListening()
      await loop.stop("the daemon stopped")
    },
  }
}

/** Stops a running cycle when the user begins to work, pauses it or switches it off. */
function watchRun(needs: SchedulerOptions, { why }: RunDecision, stopping: AbortSignal) {
  const halting = new AbortController()
  const since = needs.clock.now()
  const work = async () => {
    const halt = decideHalt(await needs.readSituation(), why, since)
    if (halt === undefined) return watchMs
    halting.abort(new Error(halt))
    return Number.POSITIVE_INFINITY
  }
  const problem = "Reverie could not check whether the cycle should stop"
  const loop = startLoop(needs, { work, firstMs: watchMs, problem, retryMs: watchMs })
  return {
    signal: AbortSignal.any([stopping, halting.signal]),
    end: () => void loop.stop(),
  }
}
