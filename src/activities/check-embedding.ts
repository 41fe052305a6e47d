import { messageOf } from "../base/errors.ts"
import { silentLog } from "../base/log.ts"
import { readConfig } from "../config/load.ts"
import type { Host } from "../config/paths.ts"
import type { Config } from "../config/schema.ts"
import { hasWeights } from "../embedding/download/weights.ts"
import type { Embedder } from "../embedding/embedder.ts"
import { readFailureNote } from "../embedding/failure-note.ts"
import { modelId } from "../embedding/local.ts"
import { localModel } from "../embedding/models.ts"
import { openEmbedder } from "../embedding/open-embedder.ts"
import { hasNativeRuntime } from "../embedding/runtime/runtime.ts"
import { storedVectorLength } from "../memory/write/vectors.ts"
import type { Database } from "../storage/database.ts"
import { type Check, good, warning } from "./check.ts"

export interface EmbeddingCheckNeeds extends Host {
  openDatabase(): Promise<Database>
}

/** Checks whether search by meaning works, or can work. */
export async function checkEmbedding(needs: EmbeddingCheckNeeds): Promise<Check> {
  const { paths } = needs
  try {
    const { config } = readConfig(paths.configFile)
    const { embedding } = config
    if (embedding.model === "none") return good("embedding", "none, search is by words alone")
    if (embedding.model === "remote") return await checkRemote(needs, config)
    const model = localModel(embedding.model, embedding.precision)
    if (hasWeights(paths, model, embedding)) return checkRuntime(embedding)
    const note = readFailureNote(paths.embedderNoteFile, modelId(model))
    if (note && embedding.download && embedding.path === "")
      return warning("embedding", `search is by words alone: ${note.reason}`, "")
    if (embedding.download && embedding.path === "")
      return good("embedding", `${embedding.model} is fetched with the first memory`)
    const advice =
      "Put its files into embedding.path, or set embedding.download to true and embedding.path to empty."
    return warning("embedding", `${embedding.model} is not there; search is by words alone`, advice)
  } catch (error) {
    return warning("embedding", messageOf(error), "Correct the [embedding] table of the configuration.")
  }
}

/** Checks what the installed model runs on. */
function checkRuntime({ model, runtime }: Config["embedding"]): Check {
  if (runtime === "wasm") return good("embedding", `${model} is there, in WebAssembly`)
  if (hasNativeRuntime()) return good("embedding", `${model} is there`)
  const missing = "the native ONNX Runtime (onnxruntime-node) is not installed"
  if (runtime === "auto")
    return good("embedding", `${model} is there, in WebAssembly, some five times slower: ${missing}`)
  const advice =
    "Set embedding.runtime to auto, or install Reverie again with `npm install --ignore-scripts`."
  return warning("embedding", `search is by words alone: ${missing}`, advice)
}

/** Sends one request: nothing else shows whether the server works. */
async function checkRemote(needs: EmbeddingCheckNeeds, config: Config): Promise<Check> {
  const { remote_model, remote_url } = config.embedding
  const db = await needs.openDatabase().catch(() => undefined)
  const stored = db ? { storedLength: (model: string) => storedVectorLength(db, model) } : {}
  let embedder: Embedder | undefined
  try {
    embedder = openEmbedder({ ...needs, ...stored, log: silentLog, fetch }, config)
    const [first] = await embedder.embed(["Is somebody there?"], { urgent: true })
    return good(
      "embedding",
      `${remote_model} at ${remote_url} answers with ${first?.vector.length ?? 0} numbers`,
    )
  } catch (error) {
    const advice = "Fix the server or the [embedding] table; then memories get their vectors."
    return warning("embedding", `search is by words alone: ${messageOf(error)}`, advice)
  } finally {
    await embedder?.close()
    await db?.close()
  }
}
