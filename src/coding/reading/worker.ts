// The thread that reads transcripts. They are untrusted: parsing one may take long or much memory, and must affect only
// this thread. Started as a process, this program runs that thread and passes messages on.
import { type MessagePort, parentPort, workerData } from "node:worker_threads"
import { systemClock } from "../../base/clock.ts"
import { codeOf, messageOf } from "../../base/errors.ts"
import { readEnvironment } from "../../config/environment.ts"
import { createProjectFinder } from "../../memory/model/project.ts"
import { openScreen } from "../../privacy/screen.ts"
import { sourcesFor } from "../sources/all-sources.ts"
import { type ReaderSetup, readLocation } from "./read-location.ts"
import { type ProcessMessage, type ReadAnswer, type ReadJob, startThread } from "./start-reader.ts"

function serve(port: MessagePort, { config, ownFolder }: ReaderSetup): void {
  let roots: readonly string[] = []
  const clock = systemClock
  const screen = openScreen({ clock, knownRoots: async () => roots }, config.privacy)
  const needs = { clock, config, ownFolder, screen, projects: createProjectFinder({ clock }) }
  const sources = sourcesFor(readEnvironment(), config, screen.redactSync)
  const answer = async (job: ReadJob): Promise<ReadAnswer> => {
    try {
      const source = sources.find(({ tool }) => tool === job.tool)
      if (source === undefined) throw new Error(`sessions of ${job.tool} are not read`)
      roots = job.roots
      return { job: job.job, read: await readLocation(needs, source, job.location, job.from) }
    } catch (error) {
      return { job: job.job, reason: messageOf(error), code: codeOf(error) }
    }
  }
  port.on("message", (job: ReadJob) => void answer(job).then((message) => port.postMessage(message)))
}

/** Runs the thread, so that the process itself notices when the daemon is gone, and exits. */
function listen(): void {
  const send = (message: ProcessMessage, done = () => {}) => void process.send?.(message, done)
  process.once("message", (setup: ReaderSetup) => {
    const thread = startThread(setup, {
      answered: (answer) => send(answer),
      ended: (reason) => send({ ended: reason }, () => process.exit(1)),
    })
    process.on("message", (job: ReadJob) => thread.ask(job))
  })
  process.once("disconnect", () => process.exit())
}

if (parentPort) serve(parentPort, workerData)
else if (process.send) listen()
