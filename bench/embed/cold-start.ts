// A fresh process that embeds one sentence and prints how long that took since it began and what memory it holds.
import { type Candidate, openCandidate } from "./candidates.ts"

const candidate: Candidate = JSON.parse(process.argv[2] ?? "")
const embedder = openCandidate(candidate)
await embedder.embed(["The first sentence after the start."], { urgent: true })
const ms = performance.now()
const coldBytes = process.memoryUsage.rss()
const texts = Array.from({ length: 40 }, (_, index) =>
  `Sentence ${index} about something else. `.repeat(1 + (index % 20)),
)
await embedder.embed(texts, { tokens: true })
console.log(JSON.stringify({ ms, coldBytes, warmBytes: process.memoryUsage.rss() }))
await embedder.close()
