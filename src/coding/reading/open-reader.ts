import { Worker } from "node:worker_threads"
import type { Clock } from "../../base/clock.ts"
import { messageOf } from "../../base/errors.ts"
import { spanText } from "../../base/text/text.ts"
import type { ReadAnswer, ReaderSetup, ReadJob } from "./messages.ts"
import type { PlaceRead, PlaceReader } from "./read-place.ts"

/** Reading a place ended the thread that read it: the place is to blame, not the program. */
export class ReaderDied extends Error {
  override name = "ReaderDied"
}

interface ReaderNeeds extends ReaderSetup {
  clock: Clock
  knownRoots(): Promise<readonly string[]>
}

/** How long some of a place may take, and how much memory. Hundreds of times what ordinary ones need. */
const longestMs = 30_000
const memoryMb = 384
/** A thread that nobody needed for so long is put away. */
const idleMs = 60_000

interface Waiting {
  done(read: PlaceRead): void
  failed(error: Error): void
}

/** Opens a reader with a thread of its own, which starts when there is something to read. */
export function openReader(needs: ReaderNeeds): PlaceReader {
  const { clock, config, ownFolder } = needs
  let worker: Worker | undefined
  let job = 0
  let waiting: Waiting | undefined
  let cancelIdle = () => {}

  function started(): Worker {
    const thread = startWorker({ config, ownFolder })
    thread.unref()
    let reason = "its thread ended by itself"
    thread.on("error", (error) => {
      reason = messageOf(error)
    })
    thread.on("exit", () => {
      if (worker !== thread) return
      worker = undefined
      waiting?.failed(new ReaderDied(reason))
    })
    thread.on("message", (answer: ReadAnswer) => {
      if (answer.job !== job) return
      if ("read" in answer) waiting?.done(answer.read)
      else waiting?.failed(Object.assign(new Error(answer.reason), { code: answer.code }))
    })
    return thread
  }

  function end(reason: string): void {
    const thread = worker
    worker = undefined
    void thread?.terminate()
    waiting?.failed(new ReaderDied(reason))
  }

  return {
    async read(source, place, from) {
      cancelIdle()
      const roots = await needs.knownRoots()
      job += 1
      const asked: ReadJob = { job, tool: source.tool, place, from, roots }
      const cancel = clock.after(longestMs, () => end(`it took longer than ${spanText(longestMs)}`))
      try {
        return await new Promise<PlaceRead>((done, failed) => {
          waiting = { done, failed }
          worker ??= started()
          worker.ref()
          worker.postMessage(asked)
        })
      } finally {
        cancel()
        waiting = undefined
        worker?.unref()
        cancelIdle = clock.after(idleMs, () => end("nobody needs it"))
      }
    },
    async close() {
      cancelIdle()
      const thread = worker
      worker = undefined
      waiting?.failed(new Error("the daemon stops"))
      await thread?.terminate()
    },
  }
}

/** Starts the thread: the source beside this file, or the built one. */
function startWorker(setup: ReaderSetup): Worker {
  const file = import.meta.url.endsWith(".ts") ? "./worker.ts" : "./session-reader.js"
  const resourceLimits = { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 48 }
  return new Worker(new URL(file, import.meta.url), { workerData: setup, resourceLimits })
}
