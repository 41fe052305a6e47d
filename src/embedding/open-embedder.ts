import type { Clock } from "../base/clock.ts"
import type { Log } from "../base/log.ts"
import type { Environment } from "../config/environment.ts"
import type { Paths } from "../config/paths.ts"
import type { Config } from "../config/schema.ts"
import { npmRegistryFor } from "./download/npm-registry.ts"
import { findWeights, type WeightsNeeds } from "./download/weights.ts"
import type { Embedder } from "./embedder.ts"
import { withFailureNote } from "./failure-note.ts"
import { guardEmbedder } from "./guard.ts"
import { findJudge } from "./judge-card.ts"
import { openLocalEmbedder } from "./local.ts"
import { localModel } from "./models.ts"
import { openRemoteEmbedder } from "./remote.ts"
import { startModelWorker } from "./runtime/model-process.ts"
import { type ScaleStore, scaledEmbedder } from "./scaled.ts"

/** What any embedder needs from outside. */
export interface EmbedderNeeds {
  env: Environment
  paths: Paths
  clock: Clock
  log: Log
  fetch: typeof fetch
  /** Takes secrets out of a text that goes to another machine. */
  redact?: (text: string) => string
  /** Hears how far the download of a model is. */
  onProgress?: NonNullable<WeightsNeeds["onProgress"]>
  /** How long the stored vectors of a model are; undefined while there are none. */
  storedLength?: (model: string) => Promise<number | undefined>
  /** Where the scale of a model that nobody calibrated is kept. */
  scales?: ScaleStore
}

/** Opens the embedder that the configuration asks for. Nothing is loaded, fetched or asked before the first text. */
export function openEmbedder(
  needs: EmbedderNeeds,
  { embedding, judgement }: Pick<Config, "embedding" | "judgement">,
): Embedder {
  const embedder =
    embedding.model === "remote"
      ? scaledEmbedder(needs, guardEmbedder(needs, openRemoteEmbedder(needs, embedding)))
      : openLocal(needs, embedding, judgement.enabled)
  return withFailureNote({ file: needs.paths.embedderNoteFile, clock: needs.clock }, embedder)
}

function openLocal(needs: EmbedderNeeds, embedding: Config["embedding"], judges: boolean): Embedder {
  const model = localModel(embedding.model, embedding.precision)
  const weights = () => findWeights(weightsNeeds(needs), model, embedding)
  const { runtime, provider, threads, idle_unload_minutes } = embedding
  return openLocalEmbedder({ ...needs, weights, startWorker: startModelWorker }, model, {
    runtime,
    provider,
    threads,
    idleUnloadMs: idle_unload_minutes * 60_000,
    judge: judges ? findJudge(model.name) : undefined,
  })
}

/**
 * What finding and fetching weights needs, from the environment.
 * @internal exported for scripts and benchmarks
 */
export function weightsNeeds(needs: EmbedderNeeds): WeightsNeeds {
  const { env, paths } = needs
  return {
    ...needs,
    modelsDir: paths.modelsDir,
    ownModelsDir: paths.ownModelsDir,
    hubUrl: (env.hubUrl ?? "https://huggingface.co").replace(/\/+$/, ""),
    registryFor: (name) => npmRegistryFor(env, name),
  }
}
