import type { Clock } from "./clock.ts"

/** Runs something with a signal that also aborts after `ms`; `isLate` is true if that was the reason. */
export async function withTimeout<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  run: (signal: AbortSignal, isLate: () => boolean) => Promise<T>,
): Promise<T> {
  const late = new AbortController()
  const cancel = clock.after(ms, () => late.abort())
  try {
    return await run(AbortSignal.any([signal, late.signal]), () => late.signal.aborted)
  } finally {
    cancel()
  }
}
