// Puts the files of embedding models into a folder where they are missing, for tests and benchmarks:
//   node scripts/fetch-weights.ts FOLDER [MODEL/PRECISION …]
import { systemClock } from "../src/base/clock.ts"
import { messageOf } from "../src/base/errors.ts"
import { silentLog } from "../src/base/log.ts"
import { readEnvironment } from "../src/config/environment.ts"
import { pathsFor } from "../src/config/paths.ts"
import { findWeights } from "../src/embedding/download/weights.ts"
import { localModel } from "../src/embedding/models.ts"
import { weightsHost } from "../src/embedding/open-embedder.ts"

const [folder = "", ...named] = process.argv.slice(2)
const env = { ...readEnvironment(), modelsDir: folder }
const needs = weightsHost({ env, paths: pathsFor(env), clock: systemClock, log: silentLog, fetch })
for (const wanted of named.length > 0 ? named : ["all-MiniLM-L6-v2/int8"]) {
  const [name = "", precision = ""] = wanted.split("/")
  try {
    await findWeights(needs, localModel(name, precision === "fp32" ? "fp32" : "auto"), {
      path: "",
      download: true,
    })
  } catch (error) {
    console.error(messageOf(error))
    process.exitCode = 1
  }
}
