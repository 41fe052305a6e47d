import { compare } from "../quality/compare.ts"
import { contestOptions, storePlaces } from "../quality/contest.ts"
import { openBenchEmbedder } from "../quality/embedding.ts"
import { loadLanguages, scoreLanguages } from "../quality/languages.ts"
import { reverieSystem } from "../quality/reverie.ts"
import type { Benchmark } from "../shared/figures.ts"

/** Whether notes are found in the words of their language: by words alone, and with the default embedder. */
export const languages: Benchmark = {
  about: "notes found by questions in 16 languages, also with one wrong letter (bench/data/languages.jsonl)",
  options: { database: contestOptions.database },
  async run(bench) {
    const set = loadLanguages()
    const { place, prefix } = await storePlaces(bench)
    const embedder = await openBenchEmbedder(bench, "all-MiniLM-L6-v2")
    const figures = []
    for (const [name, own] of [
      ["words", undefined],
      ["embedder", embedder],
    ] as const) {
      const ours = reverieSystem({ embedder: own, place, say: bench.say })
      const contest = { ours, ablated: new Map(), peers: [], prefix: `${prefix}${name}.`, say: bench.say }
      figures.push(...(await compare(contest, (system) => scoreLanguages(system, set))))
    }
    return figures
  },
}
