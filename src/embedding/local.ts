import type { ChildProcess } from "node:child_process"
import type { Clock } from "../base/clock.ts"
import { messageOf, UserError } from "../base/errors.ts"
import type { Log } from "../base/log.ts"
import {
  closedError,
  type Embedded,
  type Embedder,
  type EmbedderStatus,
  type Judged,
  type ToJudge,
} from "./embedder.ts"
import type { JudgeCard, JudgeFiles } from "./judge-card.ts"
import type { LocalModel } from "./models.ts"
import { type Answer, type ModelProcess, startModelProcess } from "./runtime/model-process.ts"
import type { RuntimeChoice } from "./runtime/runtime.ts"
import type { WorkerSetup } from "./runtime/worker-messages.ts"

/** The paths of a model's files. */
export interface WeightFiles {
  modelFile: string
  tokenizerFile: string
}

export interface LocalHost {
  clock: Clock
  log: Log
  /** Finds or downloads the files; fails with a UserError. */
  weights(): Promise<WeightFiles>
  startWorker(setup: WorkerSetup): ChildProcess
}

export interface LocalSettings extends RuntimeChoice {
  /** The model is unloaded after this long without work; 0 never unloads it. */
  idleUnloadMs: number
  /** The trained models, if they fit this embedder. */
  judge?: { files: JudgeFiles; card: JudgeCard } | undefined
}

/** A request to the model's process. */
type Request = { kind: "embed"; text: string; tokens: boolean } | ({ kind: "judge" } & ToJudge)

interface Job {
  number: number
  request: Request
  urgent: boolean
  attempts: number
  resolve(result: Embedded | Judged): void
  reject(error: unknown): void
}

/** A text fails after the process died on it this often: the text may be the cause. */
const mostAttempts = 2

/** The pause after a failed start; until it is over, calls fail with the same reason. */
const pauseAfterFailureMs = 60_000

/** Opens a model on this machine. It is loaded for the first text, and unloaded when idle. */
export function openLocalEmbedder(needs: LocalHost, model: LocalModel, settings: LocalSettings): Embedder {
  const queue = createQueue(needs, model, settings)
  return {
    model: modelId(model),
    dimensions: model.dimensions,
    tokenDimensions: model.tokenDimensions,
    similarity: model.similarity,
    reads: isMostlyLatin,
    embed: (texts, { urgent, tokens = false } = {}) =>
      queue.add<Embedded>(
        texts.map((text) => ({ kind: "embed", text, tokens })),
        urgent,
      ),
    judge: settings.judge && {
      card: settings.judge.card,
      ask: (texts, { urgent } = {}) =>
        queue.add<Judged>(
          texts.map((one) => ({ kind: "judge", ...one })),
          urgent,
        ),
    },
    status: queue.status,
    close: queue.close,
  }
}

/** These models were trained on English: their vectors of texts in other scripts mean nothing. */
function isMostlyLatin(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0
  return 2 * latin >= letters
}

/** The stored name of the model. */
export function modelId({ name, precision }: Pick<LocalModel, "name" | "precision">): string {
  return `${name}/${precision}`
}

/** The queue of texts, and the process that works on it. */
function createQueue(needs: LocalHost, model: LocalModel, settings: LocalSettings) {
  const waiting = { urgent: [] as Job[], others: [] as Job[] }
  const inProgress = new Map<number, Job>()
  const ending = new Set<Promise<unknown>>()
  let status: EmbedderStatus = { state: "idle" }
  let running: ModelProcess | undefined
  let starting: Promise<void> | undefined
  let failure: { at: number; error: unknown } | undefined
  let cancelUnload = () => {}
  let lastNumber = 0
  let isClosed = false

  function add<T extends Embedded | Judged>(requests: readonly Request[], urgent = false): Promise<T[]> {
    if (isClosed) return Promise.reject(closedError())
    const results = requests.map(
      (request) =>
        new Promise<T>((resolve, reject) => {
          lastNumber += 1
          const job = { number: lastNumber, request, urgent, attempts: 0, reject }
          queueOf(urgent).push({ ...job, resolve: (result) => resolve(result as T) })
        }),
    )
    work()
    return Promise.all(results)
  }

  function queueOf(urgent: boolean): Job[] {
    return urgent ? waiting.urgent : waiting.others
  }

  function work(): void {
    if (running) dispatch(running)
    else if (waiting.urgent.length + waiting.others.length > 0) {
      starting ??= start().finally(() => {
        starting = undefined
      })
    }
  }

  /** The process gets one urgent text and one other at most, so that its death shows which may be the cause. */
  function dispatch(to: ModelProcess): void {
    const busy = [...inProgress.values()].map((job) => job.urgent)
    for (const urgent of [true, false]) {
      const job = busy.includes(urgent) ? undefined : queueOf(urgent).shift()
      if (job === undefined) continue
      inProgress.set(job.number, job)
      to.send({ ...job.request, job: job.number, urgent })
    }
    to.hold(inProgress.size > 0)
    cancelUnload()
    const canRest = inProgress.size === 0 && settings.idleUnloadMs > 0
    cancelUnload = canRest ? needs.clock.after(settings.idleUnloadMs, unload) : () => {}
  }

  async function start(): Promise<void> {
    try {
      if (failure && needs.clock.now() - failure.at < pauseAfterFailureMs) throw failure.error
      status = { state: "loading" }
      const files = await needs.weights()
      const { runtime, provider, threads, judge } = settings
      const choice = { runtime, provider, threads, judge: judge?.files }
      const setup = { model: model.name, longest: model.longest, ...choice, ...files }
      follow(await startModelProcess(needs, setup, settle))
    } catch (error) {
      notStarted(error)
    }
  }

  function follow(started: ModelProcess): void {
    const { runtime, provider, ended } = started
    running = started
    failure = undefined
    status = { state: "ready", runtime, provider }
    needs.log.info("The embedder is ready", { model: modelId(model), runtime, provider })
    const gone = ended.then((reason) => {
      ending.delete(gone)
      if (running === started) onProcessEnd(reason)
    })
    ending.add(gone)
    if (isClosed) unload()
    else work()
  }

  function notStarted(error: unknown): void {
    const reason = messageOf(error)
    const userError =
      error instanceof UserError
        ? error
        : new UserError("failed", `The embedding model ${model.name} does not load: ${reason}`, {
            cause: error,
          })
    failure = { at: needs.clock.now(), error: userError }
    status = { state: "failed", reason: userError.message }
    needs.log.error("The embedder does not start", { model: modelId(model), reason })
    failWaiting(userError)
  }

  function settle(answer: Answer): void {
    const job = inProgress.get(answer.job)
    inProgress.delete(answer.job)
    if (answer.kind === "failed")
      job?.reject(new UserError("failed", `The text could not be ${done(job.request)}: ${answer.reason}`))
    else job?.resolve(answer.result)
    work()
  }

  /** The process died: what it worked on is tried once more. */
  function onProcessEnd(reason: string): void {
    cancelUnload()
    running = undefined
    status = { state: "idle" }
    const had = [...inProgress.values()]
    inProgress.clear()
    if (had.length > 0) needs.log.warn("The embedder's process died", { model: modelId(model), reason })
    for (const job of had) {
      job.attempts += 1
      if (job.attempts < mostAttempts) queueOf(job.urgent).unshift(job)
      else
        job.reject(
          new UserError(
            "failed",
            `The text could not be ${done(job.request)}: the model's process died (${reason}).`,
          ),
        )
    }
    work()
  }

  /** Ends the process; the next text starts another. */
  function unload(): void {
    cancelUnload()
    running?.close()
    running = undefined
    status = { state: "idle" }
  }

  function failWaiting(error: unknown): void {
    for (const job of [...waiting.urgent.splice(0), ...waiting.others.splice(0)]) job.reject(error)
  }

  async function close(): Promise<void> {
    isClosed = true
    failWaiting(closedError())
    for (const job of inProgress.values()) job.reject(closedError())
    inProgress.clear()
    await starting
    unload()
    await Promise.all(ending)
  }

  return { add, close, status: () => status }
}

const done = ({ kind }: Request) => (kind === "embed" ? "embedded" : "judged")
