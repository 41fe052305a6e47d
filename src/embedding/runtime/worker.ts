// The thread in which the model computes, because computing blocks a thread. It takes one window of one text at a
// time, the urgent first, and answers failures as data.
import { readFile } from "node:fs/promises"
import { type MessagePort, parentPort, workerData } from "node:worker_threads"
import { nextTurn } from "../../base/clock.ts"
import { messageOf } from "../../base/errors.ts"
import type { Embedded } from "../embedder.ts"
import { type Judge, openJudge } from "./judge.ts"
import { loadProjection } from "./projections.ts"
import { openSession } from "./runtime.ts"
import { beginEncoding, type Encoding } from "./text-encoder.ts"
import { openWordPieces } from "./word-pieces.ts"
import type { FromWorker, ToWorker, WorkerData } from "./worker-messages.ts"

type Job = Exclude<ToWorker, { kind: "close" }> & { encoding?: Encoding }

async function work(port: MessagePort, setup: WorkerData): Promise<void> {
  const say = (message: FromWorker, moved: ArrayBuffer[] = []) => port.postMessage(message, moved)
  const inbox = openInbox(port)
  const notice = (text: string) => say({ kind: "notice", text })
  const told = { notice, isSilent: setup.isSilent }
  const session = await openSession(told, setup, setup.modelFile)
  const needs = {
    words: openWordPieces(await readFile(setup.tokenizerFile, "utf8")),
    projection: await loadProjection(setup.model),
    longest: setup.longest,
    run: session.run,
  }
  let judge: Promise<Judge> | undefined
  say({ kind: "ready", runtime: session.runtime, provider: session.provider })
  const judgeIt = async (job: Extract<Job, { kind: "judge" }>) => {
    judge ??= openJudge({ ...told, words: needs.words }, setup, setup)
    say({ kind: "judged", job: job.job, result: await (await judge).judge(job) })
  }
  const embedIt = async (job: Extract<Job, { kind: "embed" }>) => {
    job.encoding ??= beginEncoding(needs, job.text, job.tokens)
    const result = await job.encoding.step()
    if (result === undefined) inbox.putBack(job)
    else say({ kind: "embedded", job: job.job, result }, buffersOf(result))
  }
  for (let job = await inbox.next(); job !== undefined; job = await inbox.next()) {
    try {
      await (job.kind === "judge" ? judgeIt(job) : embedIt(job))
    } catch (error) {
      say({ kind: "failed", job: job.job, reason: messageOf(error) })
    }
    await nextTurn()
  }
  await session.close()
  await judge?.then((one) => one.close()).catch(() => undefined)
  port.close()
}

/** The jobs that wait, the urgent first; no more after the message that closes. */
function openInbox(port: MessagePort) {
  const urgent: Job[] = []
  const others: Job[] = []
  let isClosed = false
  let wake = () => {}
  port.on("message", (message: ToWorker) => {
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

/** What can be handed over instead of being copied. */
function buffersOf({ vector, tokens }: Embedded): ArrayBuffer[] {
  const arrays = tokens ? [vector, tokens.codes, tokens.starts, tokens.ends] : [vector]
  return arrays.map(({ buffer }) => buffer).filter((buffer) => buffer instanceof ArrayBuffer)
}

if (parentPort) {
  const port = parentPort
  work(port, workerData).catch((error) => {
    port.postMessage({ kind: "unusable", reason: messageOf(error) } satisfies FromWorker)
    port.close()
  })
}
