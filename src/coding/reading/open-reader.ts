import type { Clock } from "../../base/clock.ts"
import { spanText } from "../../base/text/text.ts"
import type { LocationRead, LocationReader, ReaderSetup } from "./read-location.ts"
import { type ReadJob, type RunningReader, type StartReader, startThread } from "./start-reader.ts"

/** Reading a location crashed or stopped the reader: the location is the cause. */
export class ReaderDied extends Error {
  override name = "ReaderDied"
}

/** The time limit for one job, far more than ordinary locations need. */
const longestMs = 30_000
/** An unused reader is stopped after this time. */
const idleMs = 60_000

interface PendingJob {
  done(read: LocationRead): void
  failed(error: Error): void
}

/** Opens a reader whose thread or process starts with the first job. */
export function openReader(
  needs: ReaderSetup & { clock: Clock; knownRoots(): Promise<readonly string[]> },
  start: StartReader = startThread,
): LocationReader {
  const { clock, config, ownFolder } = needs
  let running: RunningReader | undefined
  let job = 0
  let pending: PendingJob | undefined
  let cancelIdle = () => {}
  let isClosed = false

  function started(): RunningReader {
    const one = start(
      { config, ownFolder },
      {
        answered(answer) {
          if (answer.job !== job) return
          if ("read" in answer) pending?.done(answer.read)
          else pending?.failed(Object.assign(new Error(answer.reason), { code: answer.code }))
        },
        ended(reason) {
          if (running !== one) return
          running = undefined
          pending?.failed(new ReaderDied(reason))
        },
      },
    )
    return one
  }

  function end(reason: string): void {
    const one = running
    running = undefined
    void one?.end()
    pending?.failed(new ReaderDied(reason))
  }

  return {
    async read(source, location, from) {
      cancelIdle()
      const roots = await needs.knownRoots()
      job += 1
      const request: ReadJob = { job, tool: source.tool, location, from, roots }
      const cancel = clock.after(longestMs, () => end(`it took longer than ${spanText(longestMs)}`))
      try {
        return await new Promise<LocationRead>((done, failed) => {
          pending = { done, failed }
          running ??= started()
          running.keepDaemonAlive(true)
          running.ask(request)
        })
      } finally {
        cancel()
        pending = undefined
        running?.keepDaemonAlive(false)
        if (!isClosed) cancelIdle = clock.after(idleMs, () => end("it is not needed"))
      }
    },
    async close() {
      isClosed = true
      cancelIdle()
      const one = running
      running = undefined
      pending?.failed(new Error("the daemon stops"))
      await one?.end()
    },
  }
}
