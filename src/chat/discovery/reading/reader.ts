import { Worker } from "node:worker_threads"
import type { Clock } from "../../../base/clock.ts"
import { codeOf } from "../../../base/errors.ts"
import { createLock } from "../../../base/lock.ts"
import type { ReadFeed } from "../items/item.ts"
import type { ParseAnswer, ParseJob } from "./messages.ts"
import type { ReadPage } from "./parse-page.ts"

type Job<Kind extends ParseJob["kind"]> = Omit<Extract<ParseJob, { kind: Kind }>, "kind">

/** Takes apart what was fetched, away from everything else, one thing at a time. */
export interface Reader {
  feed(job: Job<"feed">): Promise<ReadFeed | { problem: string }>
  page(job: Job<"page">): Promise<ReadPage | { problem: string }>
}

/** How long one may take, and how much memory. Ordinary ones need a hundredth of it. */
const longestMs = 10_000
const memoryMb = 256

/** What the thread runs: the source beside this file, or the built one. */
const ownFile = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./page-reader.js", import.meta.url)

interface ReaderSetup {
  clock: Clock
  limitMs?: number
}

/** Makes a reader; it holds nothing between two jobs. */
export function createReader({ clock, limitMs = longestMs }: ReaderSetup): Reader {
  const lock = createLock()
  const ask = (job: ParseJob) => lock.run(() => parse({ clock, limitMs }, job))
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

function parse({ clock, limitMs }: Required<ReaderSetup>, job: ParseJob): Promise<ParseAnswer> {
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
