import type { Clock } from "../../base/clock.ts"

/** The deadlines of all conversations, each with its timer. `onDue` is called once for each deadline. */
export function openDeadlines({ clock }: { clock: Clock }, onDue: (key: string) => void) {
  const timers = new Map<string, () => void>()
  let isStopped = false
  return {
    /** Replaces the deadline of a key; null removes it. */
    set(key: string, at: number | null): void {
      timers.get(key)?.()
      timers.delete(key)
      if (at === null || isStopped) return
      const ring = () => {
        timers.delete(key)
        onDue(key)
      }
      timers.set(key, clock.after(Math.max(0, at - clock.now()), ring))
    },
    stop(): void {
      isStopped = true
      for (const cancel of timers.values()) cancel()
    },
  }
}
