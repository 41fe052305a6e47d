import type { Clock } from "./clock.ts"
import { messageOf } from "./errors.ts"
import type { Log } from "./log.ts"

interface LoopWork {
  /** Does it once, and says in how many milliseconds to do it again; infinite: only when it is woken. */
  work(signal: AbortSignal): Promise<number>
  /** How long until the first time; at once without it. */
  firstMs?: number
  /** What to log when it fails, and in how many milliseconds to do it again then. */
  problem: string
  retryMs: number
  level?: "warn" | "error"
}

/** Work that is done again and again, never twice at the same time, whether it fails or not. */
export interface Loop {
  /** Does it so soon, or sooner where it was to be done sooner; while it works: so soon after its end. */
  soon(ms: number): void
  /** Does it so soon, not sooner, but not put off for ever; while it works: so soon after its end, or sooner. */
  putOff(ms: number): void
  /** Does it at once, unless it is being done, and settles when that is done. */
  now(): Promise<void>
  isWorking(): boolean
  /** Aborts the signal of the work, saying why, and settles when it has ended; nothing is done after that. */
  stop(why?: string): Promise<void>
}

/** So many times as long as it is put off at once may it be put off in all: news that never end must not stop it. */
const mostPutOff = 10

/** Starts a loop. */
export function startLoop(
  { clock, log }: { clock: Clock; log: Log },
  { work, firstMs, problem, retryMs, level = "warn" }: LoopWork,
): Loop {
  const stopping = new AbortController()
  const { signal } = stopping
  let cancel = () => {}
  let dueAt = Number.POSITIVE_INFINITY
  let working: Promise<void> | undefined
  /** When it is done although it is put off again and again. */
  let latestAt = Number.POSITIVE_INFINITY
  /** How soon after its end somebody wants it again. */
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
    latestAt = Math.min(latestAt, now + mostPutOff * ms)
    schedule(Math.max(0, Math.min(ms, latestAt - now)))
  }
  const wake = (ms: number, isPuttingOff: boolean) => {
    if (working) wantedMs = Math.min(wantedMs, ms)
    else if (isPuttingOff) putOff(ms)
    else if (clock.now() + ms < dueAt) schedule(ms)
  }
  if (firstMs === undefined) begin()
  else schedule(firstMs)
  return {
    soon: (ms) => wake(ms, false),
    putOff: (ms) => wake(ms, true),
    async now() {
      begin()
      await working
    },
    isWorking: () => working !== undefined,
    async stop(why = "it was stopped") {
      stopping.abort(new Error(why))
      cancel()
      await working
    },
  }
}
