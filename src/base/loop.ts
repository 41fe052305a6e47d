import type { Clock } from "./clock.ts"

/** Does something now and again and again, so long after each end of it, until it is stopped. It must not throw. */
export function startAgain(clock: Clock, everyMs: number, work: () => Promise<void>): () => Promise<void> {
  let isStopped = false
  let cancel = () => {}
  const go = async () => {
    await work()
    if (isStopped) return
    cancel = clock.after(everyMs, () => {
      going = go()
    })
  }
  let going = go()
  return async () => {
    isStopped = true
    cancel()
    await going
  }
}
