import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import { pathsFor } from "../../src/config/paths.ts"
import { configSchema } from "../../src/config/schema.ts"
import type { Embedder } from "../../src/embedding/embedder.ts"
import { openEmbedder } from "../../src/embedding/open-embedder.ts"
import type { Bench } from "../shared/figures.ts"
import { cacheEmbedder, cacheFile } from "./vector-cache.ts"

export type BenchModel = "all-MiniLM-L6-v2" | "gte-small"

const textsBetweenNews = 2000

/** The product's own embedder, with what it embedded in earlier runs kept in a file. */
export async function openBenchEmbedder(bench: Bench, model: BenchModel): Promise<Embedder> {
  const env = readEnvironment()
  const needs = { env, paths: pathsFor(env), clock: systemClock, log: silentLog, fetch }
  const embedder = openEmbedder(needs, configSchema.parse({ embedding: { model } }))
  const cached = await cacheEmbedder(embedder, cacheFile(), (embedded, before) => {
    const isNews = Math.floor(embedded / textsBetweenNews) > Math.floor(before / textsBetweenNews)
    if (isNews) bench.say(`embedded ${embedded.toLocaleString("en-US")} new texts`)
  })
  bench.atEnd(() => cached.close())
  return cached
}
