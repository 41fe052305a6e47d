// The thread that reads transcripts. What is in them is other people's: taking it apart may take long or much memory, and
// must hold up nothing and end nothing but this thread. Started as a process, it is that thread and whoever listens.
import { type MessagePort, parentPort, workerData } from "node:worker_threads"
import { systemClock } from "../../base/clock.ts"
import { codeOf, messageOf } from "../../base/errors.ts"
import { readEnvironment } from "../../config/environment.ts"
import { createProjectFinder } from "../../memory/model/project.ts"
import { openScreen } from "../../privacy/screen.ts"
import { sourcesFor } from "../sources/all-sources.ts"
import type { ReadAnswer, ReaderSetup, ReadJob } from "./messages.ts"
import { readLocation } from "./read-location.ts"
import { type ProcessNews, startThread } from "./start-reader.ts"

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
  port.on("message", (job: ReadJob) => void answer(job).then((told) => port.postMessage(told)))
}

/** The thread reads, so that the process hears when the daemon is gone, and ends as well. */
function listen(): void {
  const tell = (news: ProcessNews, done = () => {}) => void process.send?.(news, done)
  process.once("message", (setup: ReaderSetup) => {
    const thread = startThread(setup, {
      answered: (answer) => tell(answer),
      ended: (reason) => tell({ ended: reason }, () => process.exit(1)),
    })
    process.on("message", (job: ReadJob) => thread.ask(job))
  })
  process.once("disconnect", () => process.exit())
}

if (parentPort) serve(parentPort, workerData)
else if (process.send) listen()
