/** Runs work in the background: for each session one after the other, for some sessions at once. */
export interface Looks {
  /**
   * Asks for work. What still waits for the same session is replaced: only the newest is worth doing. Settles when this
   * or what replaced it is done; never fails.
   */
  ask(session: string, work: () => Promise<void>): Promise<void>
  /** Settles when nothing is done or waits for a session. */
  idle(session: string): Promise<void>
  settled(): Promise<void>
}

interface LooksNeeds {
  /** How many sessions are worked for at once. */
  atOnce: number
  onOvertaken(session: string): void
  onFailed(session: string, error: unknown): void
}

interface Waiting {
  work: () => Promise<void>
  done: PromiseWithResolvers<void>
}

/** Makes an empty queue. */
export function createLooks({ atOnce, onOvertaken, onFailed }: LooksNeeds): Looks {
  const waiting = new Map<string, Waiting>()
  const running = new Map<string, Promise<void>>()

  function next(): void {
    for (const [session, one] of waiting) {
      if (running.size >= atOnce) return
      if (running.has(session)) continue
      waiting.delete(session)
      running.set(session, run(session, one))
    }
  }

  async function run(session: string, { work, done }: Waiting): Promise<void> {
    try {
      await work()
    } catch (error) {
      onFailed(session, error)
    }
    running.delete(session)
    done.resolve()
    next()
  }

  return {
    ask(session, work) {
      const before = waiting.get(session)
      if (before) onOvertaken(session)
      const done = before?.done ?? Promise.withResolvers<void>()
      waiting.set(session, { work, done })
      next()
      return done.promise
    },
    async idle(session) {
      while (running.has(session) || waiting.has(session)) {
        await Promise.all([running.get(session), waiting.get(session)?.done.promise])
      }
    },
    async settled() {
      while (running.size > 0 || waiting.size > 0) {
        await Promise.all([...running.values(), ...Array.from(waiting.values(), ({ done }) => done.promise)])
      }
    },
  }
}
