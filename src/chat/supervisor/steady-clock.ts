import type { Clock } from "../../base/clock.ts"

/** A clock that never goes back: where the machine's is set back, time goes on from where it was. */
export function steadyClock(clock: Clock): Clock {
  let latest = clock.now()
  let ahead = 0
  return {
    now() {
      const now = clock.now()
      if (now + ahead < latest) ahead = latest - now
      latest = now + ahead
      return latest
    },
    after: (ms, run) => clock.after(ms, run),
  }
}
