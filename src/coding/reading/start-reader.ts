import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import { messageOf } from "../../base/errors.ts"
import type { SessionTool } from "../../sessions/session.ts"
import type { Progress, SessionLocation } from "../sessions/session-source.ts"
import type { LocationRead, ReaderSetup } from "./read-location.ts"

/** A request to read some of a location. */
export interface ReadJob {
  job: number
  tool: SessionTool
  location: SessionLocation
  from: Progress | undefined
  /** The top folders of all known projects, whose secrets are removed. */
  roots: readonly string[]
}

/** The answer to a job; a failure concerns the file, not the reader. */
export type ReadAnswer =
  | { job: number; read: LocationRead }
  | { job: number; reason: string; code: string | undefined }

/** A thread or process that reads transcripts for the daemon. */
export interface RunningReader {
  ask(job: ReadJob): void
  /** Whether the daemon must not exit while the reader runs. */
  keepDaemonAlive(isNeeded: boolean): void
  end(): Promise<unknown>
}

/** Callbacks of a reader. */
interface ReaderEvents {
  answered(answer: ReadAnswer): void
  ended(reason: string): void
}

export type StartReader = (setup: ReaderSetup, events: ReaderEvents) => RunningReader

/** The memory limit of a reader, far more than ordinary transcripts need. */
const memoryMb = 384

/** The reader's program: the source next to this file, or the built one. */
const file = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./session-reader.js", import.meta.url)

/** Starts a thread, which confines files that take too long or too much memory. */
export const startThread: StartReader = (setup, events) => {
  const resourceLimits = { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 48 }
  const thread = new Worker(file, { workerData: setup, resourceLimits })
  let reason = "its thread ended"
  thread.on("error", (error) => {
    reason = messageOf(error)
  })
  thread.on("exit", () => events.ended(reason))
  thread.on("message", (answer: ReadAnswer) => events.answered(answer))
  return {
    ask: (job) => thread.postMessage(job),
    keepDaemonAlive: (isNeeded) => (isNeeded ? thread.ref() : thread.unref()),
    end: () => thread.terminate(),
  }
}

/** A message of a reader process: its thread's answer, or why the thread ended. */
export type ProcessMessage = ReadAnswer | { ended: string }

/** Starts a process with such a thread, for files that may have crashed a whole process before. */
export const startProcess: StartReader = (setup, events) => {
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
      events.ended(reason ?? `it crashed the process that read it (${signal ?? code})`)
      resolve()
    })
  })
  child.on("message", (message: ProcessMessage) => {
    if ("ended" in message) reason = message.ended
    else events.answered(message)
  })
  // The end of the process is reported by "close", not by every message that cannot be sent.
  const send = (message: ReaderSetup | ReadJob) => void child.send(message, () => {})
  send(setup)
  return {
    ask: send,
    keepDaemonAlive(isNeeded) {
      if (isNeeded) child.ref()
      else child.unref()
      if (isNeeded) child.channel?.ref()
      else child.channel?.unref()
    },
    end() {
      child.kill("SIGKILL")
      return gone
    },
  }
}
