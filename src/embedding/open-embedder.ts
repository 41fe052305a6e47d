import type { Log } from "../base/log.ts"
import type { Host } from "../config/paths.ts"
import type { Config } from "../config/schema.ts"
import { npmRegistryFor } from "./download/npm-registry.ts"
import { findWeights, type WeightsHost } from "./download/weights.ts"
import type { Embedder } from "./embedder.ts"
import { withFailureNote } from "./failure-note.ts"
import { guardEmbedder } from "./guard.ts"
import { findJudge } from "./judge-card.ts"
import { openLocalEmbedder } from "./local.ts"
import { localModel } from "./models.ts"
import { openRemoteEmbedder } from "./remote.ts"
import { startModelWorker } from "./runtime/model-process.ts"
import { type ScaleStore, scaledEmbedder } from "./scaled.ts"

/** What embedders take from outside. */
export interface EmbedderHost extends Omit<Host, "random"> {
  log: Log
  fetch: typeof fetch
  /** Removes secrets from a text for another machine. */
  redact?: (text: string) => string
  /** Called with the progress of a download. */
  onProgress?: NonNullable<WeightsHost["onProgress"]>
  /** The length of the stored vectors of a model; undefined while there are none. */
  storedLength?: (model: string) => Promise<number | undefined>
  scales?: ScaleStore
}

/** Opens the configured embedder. Nothing is loaded, downloaded or requested before the first text. */
export function openEmbedder(
  needs: EmbedderHost,
  { embedding, judgement }: Pick<Config, "embedding" | "judgement">,
): Embedder {
  const embedder =
    embedding.model === "remote"
      ? scaledEmbedder(needs, guardEmbedder(needs, openRemoteEmbedder(needs, embedding)))
      : openLocal(needs, embedding, judgement.enabled)
  return withFailureNote({ file: needs.paths.embedderNoteFile, clock: needs.clock }, embedder)
}

function openLocal(needs: EmbedderHost, embedding: Config["embedding"], judges: boolean): Embedder {
  const model = localModel(embedding.model, embedding.precision)
  const weights = () => findWeights(weightsHost(needs), model, embedding)
  const { runtime, provider, threads, idle_unload_minutes } = embedding
  return openLocalEmbedder({ ...needs, weights, startWorker: startModelWorker }, model, {
    runtime,
    provider,
    threads,
    idleUnloadMs: idle_unload_minutes * 60_000,
    judge: judges ? findJudge(model.name) : undefined,
  })
}

/** @internal exported for scripts and benchmarks */
export function weightsHost(needs: EmbedderHost): WeightsHost {
  const { env, paths } = needs
  return {
    ...needs,
    modelsDir: paths.modelsDir,
    legacyModelsDir: paths.legacyModelsDir,
    hubUrl: (env.hubUrl ?? "https://huggingface.co").replace(/\/+$/, ""),
    registryFor: (name) => npmRegistryFor(env, name),
  }
}
