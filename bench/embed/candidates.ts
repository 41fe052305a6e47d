import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { systemClock } from "../../src/base/clock.ts"
import { messageOf } from "../../src/base/errors.ts"
import { silentLog } from "../../src/base/log.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import { pathsFor } from "../../src/config/paths.ts"
import { configSchema } from "../../src/config/schema.ts"
import { findWeights } from "../../src/embedding/download/weights.ts"
import type { Embedder } from "../../src/embedding/embedder.ts"
import { localModel } from "../../src/embedding/models.ts"
import { openEmbedder, weightsHost } from "../../src/embedding/open-embedder.ts"
import type { Bench } from "../shared/figures.ts"

/** One way to embed that is measured. */
export interface Candidate {
  model: "all-MiniLM-L6-v2" | "gte-small"
  precision: "int8" | "fp32"
  runtime: "native" | "wasm"
}

/** How a candidate is called in the figures. */
export function nameOf({ model, precision, runtime }: Candidate): string {
  return `${model === "gte-small" ? "gte-small" : "minilm"}-${precision}.${runtime}`
}

const env = { ...readEnvironment() }
env.modelsDir ??= fileURLToPath(new URL("../../node_modules/.cache/models", import.meta.url))
const needs = { env, paths: pathsFor(env), clock: systemClock, log: silentLog, fetch }

/** Opens a candidate as the product does. */
export function openCandidate({ model, precision, runtime }: Candidate): Embedder {
  return openEmbedder(needs, configSchema.parse({ embedding: { model, precision, runtime } }))
}

/** The files of a candidate. */
export function filesOf({ model, precision }: Candidate) {
  const spec = localModel(model, precision)
  const folder = join(needs.paths.modelsDir, `${spec.name}-${spec.precision}`)
  return {
    spec,
    modelFile: join(folder, spec.weights.name),
    tokenizerFile: join(folder, spec.tokenizer.name),
  }
}

/** Fetches what is missing; false, with a word about it, where that is impossible. */
export async function isAvailable(bench: Bench, candidate: Candidate): Promise<boolean> {
  try {
    await findWeights(weightsHost(needs), filesOf(candidate).spec, { path: "", download: true })
    return true
  } catch (error) {
    bench.say(`left out: ${nameOf(candidate)} (${messageOf(error)})`)
    return false
  }
}
