import type { Clock } from "../../base/clock.ts"
import { spanText } from "../../base/text/text.ts"
import type { ReaderSetup, ReadJob } from "./messages.ts"
import type { LocationRead, LocationReader } from "./read-location.ts"
import { type RunningReader, type StartReader, startThread } from "./start-reader.ts"

/** Reading a location ended the thread or the process that read it: the location is to blame, not the program. */
export class ReaderDied extends Error {
  override name = "ReaderDied"
}

/** How long some of a location may take. Hundreds of times what ordinary ones need. */
const longestMs = 30_000
/** A reader that nobody needed for so long is put away. */
const idleMs = 60_000

interface Waiting {
  done(read: LocationRead): void
  failed(error: Error): void
}

/** Opens a reader with a thread of its own, or a process, which starts when there is something to read. */
export function openReader(
  needs: ReaderSetup & { clock: Clock; knownRoots(): Promise<readonly string[]> },
  start: StartReader = startThread,
): LocationReader {
  const { clock, config, ownFolder } = needs
  let running: RunningReader | undefined
  let job = 0
  let waiting: Waiting | undefined
  let cancelIdle = () => {}
  let isClosed = false

  function started(): RunningReader {
    const one = start(
      { config, ownFolder },
      {
        answered(answer) {
          if (answer.job !== job) return
          if ("read" in answer) waiting?.done(answer.read)
          else waiting?.failed(Object.assign(new Error(answer.reason), { code: answer.code }))
        },
        ended(reason) {
          if (running !== one) return
          running = undefined
          waiting?.failed(new ReaderDied(reason))
        },
      },
    )
    return one
  }

  function end(reason: string): void {
    const one = running
    running = undefined
    void one?.end()
    waiting?.failed(new ReaderDied(reason))
  }

  return {
    async read(source, location, from) {
      cancelIdle()
      const roots = await needs.knownRoots()
      job += 1
      const asked: ReadJob = { job, tool: source.tool, location, from, roots }
      const cancel = clock.after(longestMs, () => end(`it took longer than ${spanText(longestMs)}`))
      try {
        return await new Promise<LocationRead>((done, failed) => {
          waiting = { done, failed }
          running ??= started()
          running.hold(true)
          running.ask(asked)
        })
      } finally {
        cancel()
        waiting = undefined
        running?.hold(false)
        if (!isClosed) cancelIdle = clock.after(idleMs, () => end("nobody needs it"))
      }
    },
    async close() {
      isClosed = true
      cancelIdle()
      const one = running
      running = undefined
      waiting?.failed(new Error("the daemon stops"))
      await one?.end()
    },
  }
}
