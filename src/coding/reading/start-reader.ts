import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import { messageOf } from "../../base/errors.ts"
import type { ReadAnswer, ReaderSetup, ReadJob } from "./messages.ts"

/** Whoever reads transcripts for the daemon: a thread, or a process of its own. */
export interface RunningReader {
  ask(job: ReadJob): void
  /** Whether the daemon stays for it. */
  hold(isHeld: boolean): void
  end(): Promise<unknown>
}

/** What is heard of a reader. */
interface ReaderNews {
  answered(answer: ReadAnswer): void
  ended(reason: string): void
}

export type StartReader = (setup: ReaderSetup, news: ReaderNews) => RunningReader

/** How much memory reading may take. Hundreds of times what ordinary transcripts need. */
const memoryMb = 384

/** The source beside this file, or the built one. */
const file = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./session-reader.js", import.meta.url)

/** Starts a thread: enough for whatever only takes long or much memory. */
export const startThread: StartReader = (setup, news) => {
  const resourceLimits = { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 48 }
  const thread = new Worker(file, { workerData: setup, resourceLimits })
  let reason = "its thread ended by itself"
  thread.on("error", (error) => {
    reason = messageOf(error)
  })
  thread.on("exit", () => news.ended(reason))
  thread.on("message", (answer: ReadAnswer) => news.answered(answer))
  return {
    ask: (job) => thread.postMessage(job),
    hold: (isHeld) => (isHeld ? thread.ref() : thread.unref()),
    end: () => thread.terminate(),
  }
}

/** What a process that reads says: what its thread answers, or why that ended. */
export type ProcessNews = ReadAnswer | { ended: string }

/** Starts a process with such a thread in it: for what may have ended a whole process before. */
export const startProcess: StartReader = (setup, news) => {
  const child = fork(fileURLToPath(file), [], {
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  })
  let reason: string | undefined
  child.on("error", (error) => {
    reason = messageOf(error)
  })
  const gone = new Promise<void>((resolve) => {
    child.on("close", (code, signal) => {
      news.ended(reason ?? `it ended the process that read it (${signal ?? code})`)
      resolve()
    })
  })
  child.on("message", (told: ProcessNews) => {
    if ("ended" in told) reason = told.ended
    else news.answered(told)
  })
  // A process that is gone is told of by its end, not by each message that does not reach it.
  const send = (message: ReaderSetup | ReadJob) => void child.send(message, () => {})
  send(setup)
  return {
    ask: send,
    hold(isHeld) {
      if (isHeld) child.ref()
      else child.unref()
      if (isHeld) child.channel?.ref()
      else child.channel?.unref()
    },
    end() {
      child.kill("SIGKILL")
      return gone
    },
  }
}
