// The process that runs the model: it blocks while it computes, and its end frees all memory. It works on one window of
// one text at a time, urgent ones first, and reports failures as messages.
import { readFile } from "node:fs/promises"
import { yieldToEventLoop } from "../../base/clock.ts"
import { messageOf } from "../../base/errors.ts"
import { type Judge, openJudge } from "./judge.ts"
import { loadProjection } from "./projections.ts"
import { openSession } from "./runtime.ts"
import { beginEncoding, type Encoding } from "./text-encoder.ts"
import { openWordPieces } from "./word-pieces.ts"
import type { FromWorker, ToWorker, WorkerSetup } from "./worker-messages.ts"

type Job = Exclude<ToWorker, { kind: "close" }> & { encoding?: Encoding }

async function work(setup: WorkerSetup): Promise<void> {
  const inbox = openInbox()
  const notice = (text: string) => say({ kind: "notice", text })
  const session = await openSession(notice, setup, setup.modelFile)
  const needs = {
    words: openWordPieces(await readFile(setup.tokenizerFile, "utf8")),
    projection: await loadProjection(setup.model),
    longest: setup.longest,
    run: session.run,
  }
  let judge: Promise<Judge> | undefined
  say({ kind: "ready", runtime: session.runtime, provider: session.provider })
  const judgeIt = async (job: Extract<Job, { kind: "judge" }>) => {
    if (setup.judge === undefined) throw new Error("there is no model that judges")
    judge ??= openJudge({ notice, words: needs.words }, setup, setup.judge)
    say({ kind: "judged", job: job.job, result: await (await judge).judge(job) })
  }
  const embedIt = async (job: Extract<Job, { kind: "embed" }>) => {
    job.encoding ??= beginEncoding(needs, job.text, job.tokens)
    const result = await job.encoding.step()
    if (result === undefined) inbox.putBack(job)
    else say({ kind: "embedded", job: job.job, result })
  }
  for (let job = await inbox.next(); job !== undefined; job = await inbox.next()) {
    try {
      await (job.kind === "judge" ? judgeIt(job) : embedIt(job))
    } catch (error) {
      say({ kind: "failed", job: job.job, reason: messageOf(error) })
    }
    await yieldToEventLoop()
  }
  await session.close()
  await judge?.then((one) => one.close()).catch(() => undefined)
}

function say(message: FromWorker): void {
  if (process.connected) process.send?.(message)
}

/** Waiting jobs, urgent ones first; none after the closing message. */
function openInbox() {
  const urgent: Job[] = []
  const others: Job[] = []
  let isClosed = false
  let wake = () => {}
  process.on("message", (message: ToWorker) => {
    if (message.kind === "close") isClosed = true
    else (message.urgent ? urgent : others).push(message)
    wake()
  })
  return {
    async next(): Promise<Job | undefined> {
      while (!isClosed) {
        const job = urgent.shift() ?? others.shift()
        if (job) return job
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      return undefined
    },
    putBack: (job: Job) => void (job.urgent ? urgent : others).unshift(job),
  }
}

if (process.send !== undefined) {
  // The parent process is gone.
  process.once("disconnect", () => process.exit())
  work(JSON.parse(process.argv[2] ?? "{}"))
    .catch((error) => say({ kind: "unusable", reason: messageOf(error) }))
    .finally(() => process.connected && process.disconnect())
}
