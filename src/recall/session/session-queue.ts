/** Runs work in the background: one job at a time per session, and several sessions at once. */
export interface SessionQueue {
  /** Adds a job, which replaces one that still waits for the same session. Settles when it or its replacement is done. */
  add(session: string, work: () => Promise<void>): Promise<void>
  /** Settles when a session has no job. */
  idle(session: string): Promise<void>
  settled(): Promise<void>
}

interface QueueOptions {
  /** How many sessions are served at once. */
  atOnce: number
  onReplaced(session: string): void
  onFailed(session: string, error: unknown): void
}

interface Waiting {
  work: () => Promise<void>
  done: PromiseWithResolvers<void>
}

export function createSessionQueue({ atOnce, onReplaced, onFailed }: QueueOptions): SessionQueue {
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
    add(session, work) {
      const before = waiting.get(session)
      if (before) onReplaced(session)
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
