import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import { pathsFor } from "../../src/config/paths.ts"
import { configSchema } from "../../src/config/schema.ts"
import type { Embedded, Embedder } from "../../src/embedding/embedder.ts"
import { openEmbedder } from "../../src/embedding/open-embedder.ts"
import type { Bench, Figure } from "../shared/figures.ts"
import { median, percentile, timed } from "../shared/figures.ts"
import { openMadeUpEmbedder } from "../shared/made-up-embedder.ts"
import { createTalk } from "../shared/made-up-talk.ts"

/** The model itself, which embeds questions and single adds, and one that makes up vectors to fill stores with. */
export interface Embedders {
  real: Embedder
  madeUp: Embedder
}

const textsInRound = 100
const questions = 300
const rounds = 3

/** Opens both. */
export async function openEmbedders(bench: Bench): Promise<Embedders> {
  const real = openLocal()
  bench.atEnd(() => real.close())
  return { real, madeUp: await openMadeUpEmbedder(real) }
}

/** The embedder of the standard configuration. */
export function openLocal(): Embedder {
  const env = readEnvironment()
  const needs = { env, paths: pathsFor(env), clock: systemClock, log: silentLog, fetch }
  return openEmbedder(needs, configSchema.parse({}))
}

/** How long one question takes, and how many memories a second get their vectors. */
export async function measureEmbedding({ real }: Embedders): Promise<Figure[]> {
  const talk = createTalk(3)
  const times: number[] = []
  const rates: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const texts = Array.from({ length: textsInRound }, () => talk.memory().content)
    rates.push((1000 * textsInRound) / (await timed(() => real.embed(texts, { tokens: true }))))
  }
  for (let number = 0; number < questions; number += 1) {
    const { text } = talk.question()
    times.push(await timed(() => real.embed([text], { tokens: true, urgent: true })))
  }
  return [
    { id: "embed-question.p50", value: percentile(times, 0.5), unit: "ms", better: "lower" },
    { id: "embed-question.p95", value: percentile(times, 0.95), unit: "ms", better: "lower" },
    { id: "embed-memories", value: median(rates), unit: "texts/s", better: "higher" },
  ]
}

/** Answers at once with what the real one makes of these texts: what is left is the time without embedding. */
export async function rememberVectors(real: Embedder, texts: readonly string[]): Promise<Embedder> {
  const embedded = await real.embed(texts, { tokens: true })
  const known = new Map<string, Embedded>()
  texts.forEach((text, index) => {
    const one = embedded[index]
    if (one) known.set(text, one)
  })
  return { ...real, embed: async (wanted) => wanted.flatMap((text) => known.get(text) ?? []) }
}
