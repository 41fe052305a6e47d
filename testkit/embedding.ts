import type { ChildProcess } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, onTestFinished } from "vitest"
import { type Clock, systemClock } from "../src/base/clock.ts"
import { type Log, openLog } from "../src/base/log.ts"
import { readEnvironment } from "../src/config/environment.ts"
import { pathsFor } from "../src/config/paths.ts"
import type { Embedder } from "../src/embedding/embedder.ts"
import { type LocalSettings, openLocalEmbedder } from "../src/embedding/local.ts"
import { localModel } from "../src/embedding/models.ts"
import { startModelWorker } from "../src/embedding/runtime/model-process.ts"
import type { WorkerSetup } from "../src/embedding/runtime/worker-messages.ts"

const model = localModel("all-MiniLM-L6-v2", "int8")
const folder = join(pathsFor(readEnvironment()).modelsDir, `${model.name}-${model.precision}`)
const hasModel = existsSync(join(folder, model.weights.name))

/** A suite that needs the real model, which scripts/test-setup fetches. */
export function describeWithModel(name: string, suite: () => void): void {
  if (!hasModel && process.env.CI === "true") throw new Error("in CI nothing may be left out: no model")
  describe.skipIf(!hasModel)(name, suite)
}

/** The real model's files. */
export const modelFiles = {
  modelFile: join(folder, model.weights.name),
  tokenizerFile: join(folder, model.tokenizer.name),
}

/** The text of the real vocabulary. */
export function tokenizerJson(): string {
  return readFileSync(modelFiles.tokenizerFile, "utf8")
}

/** A log that can be read. */
export function openReadableLog(): { log: Log; lines: string[] } {
  const lines: string[] = []
  const log = openLog({ clock: systemClock, level: "debug", write: (line) => void lines.push(line) })
  return { log, lines }
}

interface TestEmbedder {
  embedder: Embedder
  /** Every process it started, in order. */
  workers: ChildProcess[]
  logLines: string[]
}

interface Options extends Partial<LocalSettings> {
  clock?: Clock
  /** Starts the process in another way. */
  startWorker?: (setup: WorkerSetup) => ChildProcess
  /** Sees each process as it is started. */
  onWorker?: (worker: ChildProcess) => void
}

/** Opens the real int8 model in a real process; it is closed after the test. */
export function openTestEmbedder(options: Options = {}): TestEmbedder {
  const { clock = systemClock, startWorker = startModelWorker, onWorker, ...settings } = options
  const workers: ChildProcess[] = []
  const { log, lines } = openReadableLog()
  const needs = {
    clock,
    log,
    weights: async () => modelFiles,
    startWorker(setup: WorkerSetup) {
      const worker = startWorker(setup)
      workers.push(worker)
      onWorker?.(worker)
      return worker
    },
  }
  const defaults: LocalSettings = { runtime: "native", provider: "cpu", threads: 1, idleUnloadMs: 0 }
  const embedder = openLocalEmbedder(needs, model, { ...defaults, ...settings })
  onTestFinished(() => embedder.close())
  return { embedder, workers, logLines: lines }
}

/** The cosine of two vectors of any length. */
export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [product, aa, bb] = [0, 0, 0]
  for (let index = 0; index < a.length; index += 1) {
    const [x, y] = [a[index] ?? 0, b[index] ?? 0]
    product += x * y
    aa += x * x
    bb += y * y
  }
  return product / Math.sqrt(aa * bb)
}
