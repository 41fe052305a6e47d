import type { ChildProcess } from "node:child_process"
import type { Clock } from "../base/clock.ts"
import { messageOf, UserError } from "../base/errors.ts"
import type { Log } from "../base/log.ts"
import type { Embedded, Embedder, EmbedderStatus, Judged, ToJudge } from "./embedder.ts"
import type { JudgeCard, JudgeFiles } from "./judge-card.ts"
import type { LocalModel } from "./models.ts"
import { type Answer, type ModelProcess, startModelProcess } from "./runtime/model-process.ts"
import type { RuntimeChoice } from "./runtime/runtime.ts"
import type { WorkerSetup } from "./runtime/worker-messages.ts"

/** Where a model's files are on this machine. */
export interface WeightFiles {
  modelFile: string
  tokenizerFile: string
}

/** What a local embedder needs. */
export interface LocalNeeds {
  clock: Clock
  log: Log
  /** Finds the files, or fetches them; fails with a UserError. */
  weights(): Promise<WeightFiles>
  /** Starts the process that computes. */
  startWorker(setup: WorkerSetup): ChildProcess
}

/** How it is to compute. */
export interface LocalSettings extends RuntimeChoice {
  /** The model is put away after this long without work; 0 keeps it. */
  idleUnloadMs: number
  /** The models that judge texts, where they fit this embedder. */
  judge?: { files: JudgeFiles; card: JudgeCard } | undefined
}

/** What the thread is asked. */
type Ask = { kind: "embed"; text: string; tokens: boolean } | ({ kind: "judge" } & ToJudge)

interface Job {
  number: number
  ask: Ask
  urgent: boolean
  attempts: number
  resolve(result: Embedded | Judged): void
  reject(error: unknown): void
}

/** A text during which the process died this often is given up: it may be the cause. */
const mostAttempts = 2

/** After a failed start the next one waits this long; until then the same reason is given at once. */
const pauseAfterFailureMs = 60_000

/** Opens a model of this machine. Nothing is loaded before the first text, and nothing stays loaded without work. */
export function openLocalEmbedder(needs: LocalNeeds, model: LocalModel, settings: LocalSettings): Embedder {
  const line = createLine(needs, model, settings)
  return {
    model: modelId(model),
    dimensions: model.dimensions,
    tokenDimensions: model.tokenDimensions,
    similarity: model.similarity,
    reads: isMostlyLatin,
    embed: (texts, { urgent, tokens = false } = {}) =>
      line.add<Embedded>(
        texts.map((text) => ({ kind: "embed", text, tokens })),
        urgent,
      ),
    judge: settings.judge && {
      card: settings.judge.card,
      ask: (texts, { urgent } = {}) =>
        line.add<Judged>(
          texts.map((one) => ({ kind: "judge", ...one })),
          urgent,
        ),
    },
    status: line.status,
    close: line.close,
  }
}

/** All of these models learned from English: of other scripts they know some letters, but nothing that they mean. */
function isMostlyLatin(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0
  return 2 * latin >= letters
}

/** As it is stored beside vectors. */
export function modelId({ name, precision }: Pick<LocalModel, "name" | "precision">): string {
  return `${name}/${precision}`
}

/** The texts that wait, and the process that works them off. */
function createLine(needs: LocalNeeds, model: LocalModel, settings: LocalSettings) {
  const waiting = { urgent: [] as Job[], others: [] as Job[] }
  const given = new Map<number, Job>()
  const ending = new Set<Promise<unknown>>()
  let status: EmbedderStatus = { state: "idle" }
  let running: ModelProcess | undefined
  let starting: Promise<void> | undefined
  let failure: { at: number; error: unknown } | undefined
  let cancelUnload = () => {}
  let lastNumber = 0
  let isClosed = false

  function add<T extends Embedded | Judged>(asks: readonly Ask[], urgent = false): Promise<T[]> {
    if (isClosed) return Promise.reject(closedError())
    const results = asks.map(
      (ask) =>
        new Promise<T>((resolve, reject) => {
          lastNumber += 1
          const job = { number: lastNumber, ask, urgent, attempts: 0, reject }
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
    if (running) give(running)
    else if (waiting.urgent.length + waiting.others.length > 0) {
      starting ??= start().finally(() => {
        starting = undefined
      })
    }
  }

  /** The process has one urgent text and one other at most, so that its death tells which may be at fault. */
  function give(to: ModelProcess): void {
    const busy = [...given.values()].map((job) => job.urgent)
    for (const urgent of [true, false]) {
      const job = busy.includes(urgent) ? undefined : queueOf(urgent).shift()
      if (job === undefined) continue
      given.set(job.number, job)
      to.send({ ...job.ask, job: job.number, urgent })
    }
    to.hold(given.size > 0)
    cancelUnload()
    const canRest = given.size === 0 && settings.idleUnloadMs > 0
    cancelUnload = canRest ? needs.clock.after(settings.idleUnloadMs, unload) : () => {}
  }

  async function start(): Promise<void> {
    try {
      if (failure && needs.clock.now() - failure.at < pauseAfterFailureMs) throw failure.error
      status = { state: "loading" }
      const files = await needs.weights()
      const { runtime, provider, threads, judge } = settings
      const choice = {
        runtime,
        provider,
        threads,
        judge: judge?.files,
      }
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
      if (running === started) lost(reason)
    })
    ending.add(gone)
    if (isClosed) unload()
    else work()
  }

  function notStarted(error: unknown): void {
    const reason = messageOf(error)
    const told =
      error instanceof UserError
        ? error
        : new UserError("failed", `The embedding model ${model.name} does not load: ${reason}`, {
            cause: error,
          })
    failure = { at: needs.clock.now(), error: told }
    status = { state: "failed", reason: told.message }
    needs.log.error("The embedder does not start", { model: modelId(model), reason })
    failWaiting(told)
  }

  function settle(answer: Answer): void {
    const job = given.get(answer.job)
    given.delete(answer.job)
    if (answer.kind === "failed")
      job?.reject(new UserError("failed", `The text could not be ${done(job.ask)}: ${answer.reason}`))
    else job?.resolve(answer.result)
    work()
  }

  /** The process died. What it had is tried once more. */
  function lost(reason: string): void {
    cancelUnload()
    running = undefined
    status = { state: "idle" }
    const had = [...given.values()]
    given.clear()
    if (had.length > 0) needs.log.warn("The embedder's process died", { model: modelId(model), reason })
    for (const job of had) {
      job.attempts += 1
      if (job.attempts < mostAttempts) queueOf(job.urgent).unshift(job)
      else
        job.reject(
          new UserError(
            "failed",
            `The text could not be ${done(job.ask)}: the model's process died (${reason}).`,
          ),
        )
    }
    work()
  }

  /** Puts the model away; the next text loads it again. */
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
    for (const job of given.values()) job.reject(closedError())
    given.clear()
    await starting
    unload()
    await Promise.all(ending)
  }

  return { add, close, status: () => status }
}

const done = ({ kind }: Ask) => (kind === "embed" ? "embedded" : "judged")

function closedError(): UserError {
  return new UserError("failed", "The embedder has been closed.")
}
