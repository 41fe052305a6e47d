import { compare } from "../quality/compare.ts"
import { chosenSets, contestOptions, prepareContest, sampleSize } from "../quality/contest.ts"
import { loadLocomo } from "../quality/locomo.ts"
import { loadLongMemEval } from "../quality/longmemeval.ts"
import { loadMemaware } from "../quality/memaware.ts"
import { scoreLocomo, scoreLongMemEval, scoreMemaware, scorePooled } from "../quality/score-recall.ts"
import { dataFolder } from "../shared/data.ts"
import type { Benchmark } from "../shared/figures.ts"

const sets = ["locomo", "longmemeval", "memaware"] as const

/** How much of what was asked for is found, by Reverie and by its peers in the same run. */
export const recall: Benchmark = {
  about: "how much of what is asked for is found, beside other memories (LoCoMo, LongMemEval, MemAware)",
  options: contestOptions,
  async run(bench) {
    const chosen = chosenSets(bench.options, sets)
    // Read all first, so that missing data is known before anything slow begins.
    const locomo = chosen.has("locomo") ? loadLocomo(dataFolder("locomo")) : undefined
    const longMemEval = chosen.has("longmemeval") ? loadLongMemEval(dataFolder("longmemeval")) : undefined
    const memaware = chosen.has("memaware") ? await loadMemaware(dataFolder("memaware")) : undefined
    const contest = await prepareContest(bench)
    const ask = { sample: sampleSize(bench.options), say: bench.say, progress: bench.progress }
    return [
      ...(locomo ? await compare(contest, (system) => scoreLocomo(system, locomo, ask)) : []),
      ...(longMemEval ? await compare(contest, (system) => scoreLongMemEval(system, longMemEval, ask)) : []),
      ...(longMemEval ? await compare(contest, (system) => scorePooled(system, longMemEval, ask)) : []),
      ...(memaware ? await compare(contest, (system) => scoreMemaware(system, memaware, ask)) : []),
    ]
  },
}
