import type { Benchmark } from "./figures.ts"
import { measureFacts } from "./garden/facts.ts"

/** How well the garden tells what is no longer so in a repository from what still is. */
export const gardenFacts: Benchmark = {
  about: "how many stale facts about a repository are found, and how many true ones are taken for stale",
  options: { misses: { type: "boolean", help: "print the misjudged sentences" } },
  run: measureFacts,
}
