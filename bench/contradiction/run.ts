import { relate } from "../../src/language/compare/relate.ts"
import type { Relation } from "../../src/language/compare/relation.ts"
import { type Bench, type Benchmark, type Figure, percentile } from "../shared/figures.ts"
import { type LabelledPair, loadPairs } from "./labelled-pairs.ts"

/** How well plain code tells opposites from paraphrases, and how long it takes. */
export const contradiction: Benchmark = {
  about: "how many opposites are caught or merged and how many paraphrases are taken for opposites",
  options: {
    misses: { type: "string", help: "print the misjudged pairs of a set (breaking-nli, sick, sts or agent)" },
  },
  async run(bench) {
    const judged = loadPairs().map((pair) => ({ ...pair, kind: relate(pair.older, pair.newer).kind }))
    sayMisses(bench, judged)
    return [
      ...overall(judged),
      ...byCategory(judged),
      ...bySet(judged),
      ...byNature(judged),
      ...measureSpeed(judged),
    ]
  },
}

type Judged = LabelledPair & { kind: Relation["kind"] }

const wanted = { opposite: "contradicts", paraphrase: "same", neither: "differs" } as const

function sayMisses(bench: Bench, judged: readonly Judged[]): void {
  for (const pair of judged) {
    if (pair.set !== bench.options.misses || pair.kind === wanted[pair.label]) continue
    bench.say(`${pair.category}: ${pair.label} judged ${pair.kind}: ${pair.older} || ${pair.newer}`)
  }
}

function overall(judged: readonly Judged[]): Figure[] {
  const opposites = judged.filter((pair) => pair.label === "opposite")
  const merged = opposites.filter((pair) => pair.kind === "same").length
  return [
    { id: "opposites-merged", value: merged, unit: "pairs", better: "lower" },
    caught("opposites-caught", opposites),
    flagged("paraphrases-flagged", labelled(judged, "paraphrase")),
    share("paraphrases-recognised", labelled(judged, "paraphrase"), "same"),
    flagged("others-flagged", labelled(judged, "neither")),
    { id: "pairs", value: judged.length, unit: "pairs", better: "higher" },
  ]
}

function labelled(judged: readonly Judged[], label: Judged["label"]): Judged[] {
  return judged.filter((pair) => pair.label === label)
}

function byCategory(judged: readonly Judged[]): Figure[] {
  const named = labelled(judged, "opposite").filter((pair) => pair.category !== "all")
  const ids = new Map<string, Judged[]>()
  for (const pair of named) {
    const id = `${pair.set}.${pair.category}.caught`
    ids.set(id, [...(ids.get(id) ?? []), pair])
  }
  return [...ids].toSorted(([a], [b]) => a.localeCompare(b)).map(([id, pairs]) => caught(id, pairs))
}

function bySet(judged: readonly Judged[]): Figure[] {
  return (["breaking-nli", "sick", "sts", "judgement", "agent"] as const).flatMap((set) => {
    const own = judged.filter((pair) => pair.set === set)
    if (own.length === 0) return []
    return [
      ...(set === "sts" ? [] : [caught(`${set}.caught`, labelled(own, "opposite"))]),
      flagged(`${set}.paraphrases-flagged`, labelled(own, "paraphrase")),
      share(`${set}.paraphrases-recognised`, labelled(own, "paraphrase"), "same"),
      flagged(`${set}.others-flagged`, labelled(own, "neither")),
      { ...share(`${set}.others-merged`, labelled(own, "neither"), "same"), better: "lower" as const },
    ]
  })
}

/** The kinds of opposition people expect to be caught without fail, over the sets that tell them. */
function byNature(judged: readonly Judged[]): Figure[] {
  const opposites = labelled(judged, "opposite")
  const pick = (...categories: string[]) => opposites.filter((pair) => categories.includes(pair.category))
  return [
    caught("numbers.caught", pick("cardinals", "number", "version")),
    caught("ordinals.caught", pick("ordinals")),
    caught("antonyms.caught", pick("antonyms", "antonyms_wordnet", "flag")),
    caught("negation.caught", [...pick("prohibition"), ...opposites.filter(isNegated)]),
    caught("negation-of-same-words.caught", opposites.filter(isPlainlyNegated)),
  ]
}

const denials = /\b(?:not|no one|no|nobody|never|none|cannot)\b|n['’]t\b/gi

/** A pair of SICK in which exactly one side denies. */
function isNegated({ set, older, newer }: Judged): boolean {
  const denies = (text: string) => text.search(denials) !== -1
  return set === "sick" && denies(older) !== denies(newer)
}

/** A pair of SICK that would be the same words without the denial and the words that go with it. */
function isPlainlyNegated(pair: Judged): boolean {
  const words = (text: string) =>
    text
      .toLowerCase()
      .replaceAll(denials, "")
      .replaceAll(/\b(?:there|is|are|the|a|an|some|someone|somebody|does|do|being|by anyone)\b|[^a-z ]/g, "")
      .split(/\s+/)
      .sort()
      .join(" ")
  return isNegated(pair) && words(pair.older) === words(pair.newer)
}

function caught(id: string, pairs: readonly Judged[]): Figure {
  return share(id, pairs, "contradicts")
}

function flagged(id: string, pairs: readonly Judged[]): Figure {
  return { ...share(id, pairs, "contradicts"), better: "lower" }
}

function share(id: string, pairs: readonly Judged[], kind: Judged["kind"]): Figure {
  const hits = pairs.filter((pair) => pair.kind === kind).length
  return { id, value: pairs.length === 0 ? 0 : (100 * hits) / pairs.length, unit: "%", better: "higher" }
}

/** Each pair is judged once more, now that everything is warm; the longest texts allowed come last. */
function measureSpeed(pairs: readonly LabelledPair[]): Figure[] {
  const micros = pairs.map(({ older, newer }) => timeMicros(older, newer))
  const word = (index: number) => `w${(index * 7919) % 3571}`
  const long = Array.from({ length: 3000 }, (_, index) => word(index)).join(" ")
  const other = Array.from({ length: 3000 }, (_, index) => word(index + 1 + (index % 3))).join(" ")
  const figure = (id: string, value: number): Figure => ({ id, value, unit: "µs", better: "lower" })
  return [
    figure("speed.p50", percentile(micros, 0.5)),
    figure("speed.p95", percentile(micros, 0.95)),
    figure("speed.longest-texts", timeMicros(long, other)),
  ]
}

function timeMicros(older: string, newer: string): number {
  const started = performance.now()
  relate(older, newer)
  return (performance.now() - started) * 1000
}
