import type { Clock } from "../../base/clock.ts"

/** The deadlines of all conversations, with one timer for the earliest. `onDue` is called once for each deadline. */
export function openDeadlines({ clock }: { clock: Clock }, onDue: (key: string) => void) {
  const times = new Map<string, number>()
  let cancel = () => {}
  let armedFor = Number.POSITIVE_INFINITY
  let isStopped = false

  const arm = (at: number) => {
    cancel()
    armedFor = at
    cancel = Number.isFinite(at) && !isStopped ? clock.after(Math.max(0, at - clock.now()), ring) : () => {}
  }
  const armForEarliest = () => {
    let earliest = Number.POSITIVE_INFINITY
    for (const at of times.values()) earliest = Math.min(earliest, at)
    arm(earliest)
  }
  function ring(): void {
    const now = clock.now()
    const due = [...times].filter(([, at]) => at <= now).sort(([, a], [, b]) => a - b)
    for (const [key, at] of due) {
      if (times.get(key) !== at) continue
      times.delete(key)
      onDue(key)
    }
    armForEarliest()
  }
  return {
    /** Replaces the deadline of a key; null removes it. */
    set(key: string, at: number | null): void {
      const before = times.get(key)
      if (at === null) times.delete(key)
      else times.set(key, at)
      if (at !== null && at < armedFor) arm(at)
      else if (before === armedFor && at !== before) armForEarliest()
    },
    stop(): void {
      isStopped = true
      cancel()
    },
  }
}
