/** Measures what can be measured of the prepared pairs without judging: `node training/features.ts FOLDER`. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { systemClock } from "../src/base/clock.ts"
import { silentLog } from "../src/base/log.ts"
import { readEnvironment } from "../src/config/environment.ts"
import { pathsFor } from "../src/config/paths.ts"
import { configSchema } from "../src/config/schema.ts"
import type { Embedded } from "../src/embedding/embedder.ts"
import { openEmbedder } from "../src/embedding/open-embedder.ts"
import { pairFeatures } from "./pair-features.ts"

const [folder = "training/out"] = process.argv.slice(2)
const env = { ...readEnvironment() }
env.modelsDir ??= join(import.meta.dirname, "../node_modules/.cache/models")
const embedder = openEmbedder(
  { env, paths: pathsFor(env), clock: systemClock, log: silentLog, fetch },
  configSchema.parse({}),
)
const rows = (name: string) =>
  readFileSync(join(folder, name), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

const embedded = new Map<string, Embedded>()
async function embedAll(texts: readonly string[]): Promise<void> {
  const open = [...new Set(texts)].filter((text) => !embedded.has(text))
  for (let at = 0; at < open.length; at += 100) {
    const part = open.slice(at, at + 100)
    const found = await embedder.embed(part, { tokens: true })
    for (const [index, text] of part.entries()) embedded.set(text, found[index] as Embedded)
  }
}
const note = (text: string) => ({ text, embedded: embedded.get(text) as Embedded })

const pairs = rows("pairs.jsonl") as { old: string; new: string }[]
await embedAll(pairs.flatMap((pair) => [pair.old, pair.new]))
const measured = pairs.map((pair, key) =>
  JSON.stringify({ key: `${key}`, features: pairFeatures(note(pair.old), note(pair.new)).map(short) }),
)
writeFileSync(join(folder, "pair-features.jsonl"), `${measured.join("\n")}\n`)

/** Of each question the notes that are most like it: what a search would look at. */
const mostNotes = 8
interface Store {
  author: string
  notes: string[]
  answerable: { question: string; note: number }[]
  unanswerable: string[]
}
const asked: string[] = []
for (const { author, notes, answerable, unanswerable } of rows("answers.jsonl") as Store[]) {
  const questions = [...answerable.map(({ question }) => question), ...unanswerable]
  await embedAll([...notes, ...questions])
  for (const [number, question] of questions.entries()) {
    const measuredNotes = notes.map((text, index) => ({
      index,
      features: pairFeatures(note(text), note(question)),
    }))
    measuredNotes.sort((a, b) => (b.features[0] ?? 0) - (a.features[0] ?? 0))
    const right = answerable[number]?.note
    for (const [rank, { index, features }] of measuredNotes.entries()) {
      if (rank >= mostNotes && index !== right) continue
      asked.push(JSON.stringify({ key: `${author}/${number}/${index}`, rank, features: features.map(short) }))
    }
  }
}
writeFileSync(join(folder, "answer-features.jsonl"), `${asked.join("\n")}\n`)
await embedder.close()

function short(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
