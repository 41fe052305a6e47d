import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { messageOf } from "../../base/errors.ts"
import type { Log } from "../../base/log.ts"
import { modelEnvironment } from "../../config/environment.ts"
import type { FromWorker, ToWorker, WorkerSetup } from "./worker-messages.ts"

/** An answer about a job. */
export type Answer = Extract<FromWorker, { job: number }>

export interface ModelProcess {
  runtime: string
  provider: string
  send(job: Exclude<ToWorker, { kind: "close" }>): void
  /** Whether it keeps this process alive: only while somebody waits. */
  hold(isHeld: boolean): void
  /** Asks it to end after the current window. */
  close(): void
  /** Resolves with the reason when the process has ended. */
  ended: Promise<string>
}

/** The source file, or the built one. Nothing else loads ONNX Runtime. */
const workerFile = new URL(
  import.meta.url.endsWith(".ts") ? "./worker.ts" : "./embedding-worker.js",
  import.meta.url,
)

/** Starts a process for the model: unlike a thread, it frees all memory when it ends. */
export function startModelWorker(setup: WorkerSetup, file: URL = workerFile): ChildProcess {
  return fork(fileURLToPath(file), [JSON.stringify(setup)], {
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    execArgv: [],
    env: modelEnvironment(),
  })
}

/** Starts a process and waits until the model is loaded; fails with the reason. */
export function startModelProcess(
  needs: { log: Log; startWorker(setup: WorkerSetup): ChildProcess },
  setup: WorkerSetup,
  onAnswer: (answer: Answer) => void,
): Promise<ModelProcess> {
  return new Promise((resolve, reject) => {
    const worker = needs.startWorker(setup)
    const ended = new Promise<string>((end) => {
      worker.once("exit", (code, signal) => end(`its process ended by itself (${signal ?? code})`))
      worker.once("error", (error) => end(messageOf(error)))
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

function controls(worker: ChildProcess): Pick<ModelProcess, "send" | "hold" | "close"> {
  // The end of the process is reported once, not for every message that does not reach it.
  const send = (message: ToWorker) => void (worker.connected && worker.send(message, () => {}))
  const hold = (isHeld: boolean) => {
    if (isHeld) worker.ref()
    else worker.unref()
    if (isHeld) worker.channel?.ref()
    else worker.channel?.unref()
  }
  return {
    send,
    hold,
    close() {
      hold(true)
      send({ kind: "close" })
    },
  }
}
