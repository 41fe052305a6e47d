import { Worker } from "node:worker_threads"
import { messageOf } from "../../base/errors.ts"
import type { Log } from "../../base/log.ts"
import { forbidTelemetry } from "../../config/environment.ts"
import type { FromWorker, ToWorker, WorkerData, WorkerSetup } from "./worker-messages.ts"

/** What the thread answers about a job. */
export type Answer = Extract<FromWorker, { job: number }>

/** A thread with a loaded model. */
export interface EmbeddingThread {
  runtime: string
  provider: string
  send(job: Exclude<ToWorker, { kind: "close" }>): void
  /** Whether it keeps the process alive: only while somebody waits for it. */
  hold(isHeld: boolean): void
  /** Asks it to end when the window it reads is done. */
  close(): void
  /** Settles when it is gone, with the reason. */
  ended: Promise<string>
}

interface ThreadNeeds {
  log: Log
  startWorker(setup: WorkerSetup): Worker
}

/** Starts the worker: the source beside this file, or the built one. Nothing else loads ONNX Runtime. */
export function startEmbeddingWorker(setup: WorkerSetup): Worker {
  const file = import.meta.url.endsWith(".ts") ? "./worker.ts" : "./embedding-worker.js"
  const workerData: WorkerData = { ...setup, isSilent: forbidTelemetry() }
  return new Worker(new URL(file, import.meta.url), { workerData })
}

/** Starts a thread and waits until the model is loaded; fails with the reason why it cannot be. */
export function startThread(
  needs: ThreadNeeds,
  setup: WorkerSetup,
  onAnswer: (answer: Answer) => void,
): Promise<EmbeddingThread> {
  return new Promise((resolve, reject) => {
    const worker = needs.startWorker(setup)
    let reason = "its thread ended by itself"
    const ended = new Promise<string>((end) => worker.once("exit", () => end(reason)))
    worker.on("error", (error) => {
      reason = messageOf(error)
    })
    worker.on("message", (message: FromWorker) => {
      switch (message.kind) {
        case "notice":
          return needs.log.warn(message.text)
        case "unusable":
          return reject(new Error(message.reason))
        case "ready":
          return resolve({ ...message, ...controls(worker), ended })
        default:
          return onAnswer(message)
      }
    })
    void ended.then((why) => reject(new Error(why)))
  })
}

function controls(worker: Worker): Pick<EmbeddingThread, "send" | "hold" | "close"> {
  const post = (message: ToWorker) => worker.postMessage(message)
  return {
    send: post,
    hold: (isHeld) => (isHeld ? worker.ref() : worker.unref()),
    close() {
      worker.ref()
      post({ kind: "close" })
    },
  }
}
