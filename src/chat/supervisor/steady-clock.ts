import type { Clock } from "../../base/clock.ts"

/** A clock that never goes back: when the machine's clock is set back, it continues from its last time. */
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
