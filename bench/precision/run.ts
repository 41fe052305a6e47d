import { loadPrompts } from "../judgement/authors.ts"
import { compare } from "../quality/compare.ts"
import { chosenSets, contestOptions, prepareContest, sampleSize } from "../quality/contest.ts"
import { loadLocomo } from "../quality/locomo.ts"
import { loadLongMemEval } from "../quality/longmemeval.ts"
import { loadNotes, scoreNotes } from "../quality/notes.ts"
import { scoreLocomoAbstention, scoreLongMemEvalAbstention } from "../quality/score-abstention.ts"
import { scorePrecision } from "../quality/score-precision.ts"
import { dataFolder } from "../shared/data.ts"
import type { Benchmark } from "../shared/figures.ts"
import { loadStores, scoreAuthorStores } from "./author-stores.ts"

const sets = ["authors", "locomo", "longmemeval", "notes"] as const

/** How much of what comes back is right, and how well it keeps silent when it does not know. */
export const precision: Benchmark = {
  about:
    "how much of what is returned is right, and silence when there is no answer (stores of several authors, LoCoMo, LongMemEval, notes)",
  options: {
    ...contestOptions,
    authors: { type: "string", help: "names of authors, or left-out for those nothing was fitted on" },
    stores: { type: "string", help: "a folder with stores of further authors: NAME/store.json" },
  },
  async run(bench) {
    const chosen = chosenSets(bench.options, sets)
    const locomo = chosen.has("locomo") ? loadLocomo(dataFolder("locomo")) : undefined
    const longMemEval = chosen.has("longmemeval") ? loadLongMemEval(dataFolder("longmemeval")) : undefined
    const notes = chosen.has("notes") ? loadNotes() : undefined
    const { authors: only, stores: folder } = bench.options
    const authors = chosen.has("authors") ? loadStores(textOf(only), textOf(folder)) : undefined
    const prompts = authors ? loadPrompts(dataFolder("prompts")).filter(({ isLeftOut }) => isLeftOut) : []
    const contest = await prepareContest(bench)
    const ask = { sample: sampleSize(bench.options), say: bench.say, progress: bench.progress }
    return [
      ...(authors
        ? await compare(contest, (system) => scoreAuthorStores(system, authors, { ...ask, prompts }))
        : []),
      ...(locomo ? await compare(contest, (system) => scorePrecision(system, locomo, ask)) : []),
      ...(locomo ? await compare(contest, (system) => scoreLocomoAbstention(system, locomo, ask)) : []),
      ...(longMemEval
        ? await compare(contest, (system) => scoreLongMemEvalAbstention(system, longMemEval, ask))
        : []),
      ...(notes ? await compare(contest, (system) => scoreNotes(system, notes, ask)) : []),
    ]
  },
}

function textOf(option: string | boolean | undefined): string | undefined {
  return typeof option === "string" ? option : undefined
}
