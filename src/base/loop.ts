import type { Clock } from "./clock.ts"
import { messageOf } from "./errors.ts"
import type { Log } from "./log.ts"

interface LoopWork {
  /** Runs once and returns the delay until the next run in milliseconds; infinity waits for a wake-up. */
  work(signal: AbortSignal): Promise<number>
  /** The delay before the first run; by default none. */
  firstMs?: number
  /** The message to log after a failure, and the delay until the next attempt. */
  problem: string
  retryMs: number
  level?: "warn" | "error"
  /** Subscribes to events that wake the loop, and returns how to unsubscribe. */
  wakeOn?(loop: Loop): () => void
}

/** Work that repeats, never twice at the same time, and continues after failures. */
export interface Loop {
  /** Runs within this time, or as scheduled if that is sooner. During a run, the time counts from its end. */
  wakeWithin(ms: number): void
  /** Delays the next run to this time from now (a debounce), up to a limit. During a run, it counts from its end. */
  postpone(ms: number): void
  /** Runs immediately, unless a run is in progress, and waits for its end. */
  runNow(): Promise<void>
  isRunning(): boolean
  /** Aborts the current run with this reason and waits for its end. Nothing runs after that. */
  stop(why?: string): Promise<void>
}

/** The total delay by `postpone` is limited to this multiple of one delay, so that constant events cannot starve it. */
const mostPostponed = 10

/** Starts a loop. */
export function startLoop(
  { clock, log }: { clock: Clock; log: Log },
  { work, firstMs, problem, retryMs, level = "warn", wakeOn }: LoopWork,
): Loop {
  const stopping = new AbortController()
  const { signal } = stopping
  let cancel = () => {}
  let dueAt = Number.POSITIVE_INFINITY
  let working: Promise<void> | undefined
  /** The latest time of the next run, however often it is postponed. */
  let latestAt = Number.POSITIVE_INFINITY
  /** The delay that was requested during the current run. */
  let wantedMs = Number.POSITIVE_INFINITY

  const schedule = (ms: number) => {
    cancel()
    if (signal.aborted) return
    dueAt = clock.now() + ms
    if (ms !== Number.POSITIVE_INFINITY) cancel = clock.after(ms, begin)
  }
  const attempt = async () => {
    try {
      return await work(signal)
    } catch (error) {
      if (!signal.aborted) log[level](problem, { reason: messageOf(error) })
      return retryMs
    }
  }
  function begin(): void {
    if (working || signal.aborted) return
    cancel()
    wantedMs = Number.POSITIVE_INFINITY
    latestAt = Number.POSITIVE_INFINITY
    working = attempt().then((ms) => {
      working = undefined
      schedule(Math.min(ms, wantedMs))
    })
  }
  const putOff = (ms: number) => {
    const now = clock.now()
    latestAt = Math.min(latestAt, now + mostPostponed * ms)
    schedule(Math.max(0, Math.min(ms, latestAt - now)))
  }
  const wake = (ms: number, isPuttingOff: boolean) => {
    if (working) wantedMs = Math.min(wantedMs, ms)
    else if (isPuttingOff) putOff(ms)
    else if (clock.now() + ms < dueAt) schedule(ms)
  }
  if (firstMs === undefined) begin()
  else schedule(firstMs)
  const loop: Loop = {
    wakeWithin: (ms) => wake(ms, false),
    postpone: (ms) => wake(ms, true),
    async runNow() {
      begin()
      await working
    },
    isRunning: () => working !== undefined,
    async stop(why = "it was stopped") {
      unsubscribe?.()
      stopping.abort(new Error(why))
      cancel()
      await working
    },
  }
  const unsubscribe = wakeOn?.(loop)
  return loop
}
