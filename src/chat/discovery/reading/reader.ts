import { Worker } from "node:worker_threads"
import type { Clock } from "../../../base/clock.ts"
import { codeOf } from "../../../base/errors.ts"
import { createLock } from "../../../base/lock.ts"
import type { ReadFeed } from "../items/item.ts"
import type { ReadPage } from "./parse-page.ts"

/** A feed or page to parse. */
export type ParseJob =
  | {
      kind: "feed"
      body: Uint8Array
      contentType: string | undefined
      url: string
      most: number
      now: number
    }
  | { kind: "page"; body: Uint8Array; contentType: string | undefined; longest: number }

export type ParseAnswer =
  | { kind: "feed"; feed: ReadFeed }
  | { kind: "page"; page: ReadPage }
  | { kind: "failed"; reason: string }

type Job<Kind extends ParseJob["kind"]> = Omit<Extract<ParseJob, { kind: Kind }>, "kind">

/** Parses fetched feeds and pages in a thread of its own, one at a time. */
export interface Reader {
  feed(job: Job<"feed">): Promise<ReadFeed | { problem: string }>
  page(job: Job<"page">): Promise<ReadPage | { problem: string }>
}

/** Limits of time and memory for one job. Ordinary ones need a hundredth of it. */
const longestMs = 10_000
const memoryMb = 256

/** The file that the thread runs: the source, or the built one. */
const ownFile = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./page-reader.js", import.meta.url)

export function createReader({ clock, limitMs = longestMs }: { clock: Clock; limitMs?: number }): Reader {
  const lock = createLock()
  const ask = (job: ParseJob) => lock.run(() => parse(clock, limitMs, job))
  const problem = (answer: ParseAnswer) => ({
    problem: answer.kind === "failed" ? answer.reason : "it is something else",
  })
  return {
    async feed(job) {
      const answer = await ask({ kind: "feed", ...job })
      return answer.kind === "feed" ? answer.feed : problem(answer)
    },
    async page(job) {
      const answer = await ask({ kind: "page", ...job })
      return answer.kind === "page" ? answer.page : problem(answer)
    },
  }
}

function parse(clock: Clock, limitMs: number, job: ParseJob): Promise<ParseAnswer> {
  return new Promise((resolve) => {
    const resourceLimits = { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }
    const thread = new Worker(ownFile, { workerData: job, resourceLimits })
    let isEnding = false
    const end = (answer: ParseAnswer) => {
      if (isEnding) return
      isEnding = true
      giveUp()
      void thread.terminate().then(() => resolve(answer))
    }
    const failed = (reason: string) => end({ kind: "failed", reason })
    const giveUp = clock.after(limitMs, () => failed("it takes too long to be read"))
    thread.on("message", end)
    thread.on("error", (error) =>
      failed(
        codeOf(error) === "ERR_WORKER_OUT_OF_MEMORY"
          ? "it needs too much memory to be read"
          : "it cannot be read",
      ),
    )
    thread.on("exit", () => failed("it cannot be read"))
  })
}
