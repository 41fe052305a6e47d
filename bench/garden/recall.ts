import { estimateTokens } from "../../src/base/text/count-tokens.ts"
import type { Embedder } from "../../src/embedding/embedder.ts"
import { runGarden } from "../../src/memory/garden/run-garden.ts"
import { memoryWorks } from "../../src/memory/garden/works.ts"
import { createLossBudget } from "../../src/memory/model/agents/losses.ts"
import { by } from "../latency/needs.ts"
import type { Scores } from "../quality/compare.ts"
import { filePlace } from "../quality/contest.ts"
import { loadLocomo } from "../quality/locomo.ts"
import { loadLongMemEval } from "../quality/longmemeval.ts"
import { mean } from "../quality/metrics.ts"
import { type LibraryNeeds, reverieSystem } from "../quality/reverie.ts"
import { scoreLocomo, scoreLongMemEval } from "../quality/score-recall.ts"
import type { Item, System } from "../quality/system.ts"
import { dataFolder } from "../shared/data.ts"
import type { Bench, Figure } from "../shared/figures.ts"
import { temporaryFolder } from "../shared/stores.ts"

/** Every so many turns are told again later, as they are when two tools bring in the same conversation. */
const toldAgainEvery = 3
const shown = 10

/** How much is found, and how many tokens that takes, before and after a whole pass of the garden. */
export async function measureRecall(bench: Bench, embedder: Embedder): Promise<Figure[]> {
  const locomo = loadLocomo(dataFolder("locomo"))
  const longMemEval = loadLongMemEval(dataFolder("longmemeval"))
  const needs = { embedder, place: async () => filePlace(temporaryFolder(bench)), say: bench.say }
  const plain = reverieSystem(needs)
  const gardened = { ...reverieSystem({ ...needs, afterFilling: tend }), name: "gardened" }
  const ask = { say: bench.say, progress: bench.progress }
  const sets: [string, (system: System) => Promise<Scores>][] = [
    ["", (system) => scoreLocomo(system, locomo, ask)],
    ["", (system) => scoreLongMemEval(system, longMemEval, ask)],
    ["told-again.", (system) => scoreLocomo(toldAgain(system), locomo, ask)],
  ]
  const figures: Figure[] = []
  for (const [prefix, score] of sets) {
    const before = await scoreWithTokens(plain, score)
    const after = await scoreWithTokens(gardened, score)
    figures.push(...sideBySide(prefix, before, after))
  }
  return figures
}

async function tend(needs: LibraryNeeds, now: number): Promise<void> {
  const clock = { ...needs.clock, now: () => now }
  const pass = { by, limit: 1e9, losses: createLossBudget(1e9), signal: new AbortController().signal }
  const ambient = { ...pass, by: () => ({ ...by(), actor: "ambient" }) }
  const { warnings } = await runGarden(needs, memoryWorks({ ...needs, clock }), ambient)
  if (warnings.length > 0) throw new Error(warnings.join(" "))
}

interface Measured {
  scores: Scores
  tokens: number
  distinct: number
}

/** Scores a system, and counts the tokens of the first ten answers to each question and of what is not repeated in them. */
async function scoreWithTokens(
  system: System,
  score: (system: System) => Promise<Scores>,
): Promise<Measured> {
  const tokens: number[] = []
  const distinct: number[] = []
  const counted: System = {
    name: system.name,
    async open(items) {
      const store = await system.open(items)
      const texts = new Map(items.map(({ sourceId, content }) => [sourceId, content]))
      return {
        ...store,
        async search(query, limit, options) {
          const answer = await store.search(query, limit, options)
          const found = answer.hits.slice(0, shown).map(({ sourceId }) => texts.get(sourceId) ?? "")
          const count = (some: Iterable<string>) =>
            [...some].reduce((sum, text) => sum + estimateTokens(text), 0)
          tokens.push(count(found))
          distinct.push(count(new Set(found)))
          return answer
        },
      }
    },
  }
  const scores = await score(counted)
  return { scores, tokens: mean(tokens), distinct: mean(distinct) }
}

function sideBySide(prefix: string, before: Measured, after: Measured): Figure[] {
  const [first] = before.scores.keys()
  const set = `${prefix}${first?.split(".")[0]}`
  const beside = (id: string, value: number, baseline: number, unit: string, better: Figure["better"]) => {
    return { id, value, unit, better, baseline: { name: "before the garden", value: baseline } }
  }
  return [
    ...[...after.scores].map(([id, { value, unit, better }]) =>
      beside(`after.${prefix}${id}`, value, before.scores.get(id)?.value ?? Number.NaN, unit, better),
    ),
    beside(`after.${set}.tokens@10`, after.tokens, before.tokens, "tokens", "lower"),
    beside(
      `after.${set}.repeated-tokens@10`,
      after.tokens - after.distinct,
      before.tokens - before.distinct,
      "tokens",
      "lower",
    ),
  ]
}

/** The same with a part of the items told twice. An item that is found counts as found by either of its ids. */
function toldAgain(system: System): System {
  return {
    name: `${system.name}, told again`,
    async open(items) {
      const again = items
        .filter((_, index) => index % toldAgainEvery === 0)
        .map(
          (item): Item => ({
            ...item,
            sourceId: `${item.sourceId} again`,
            sessionId: `${item.sessionId} again`,
          }),
        )
      const store = await system.open([...items, ...again])
      return {
        ...store,
        async search(query, limit, options) {
          const answer = await store.search(query, limit, options)
          const hits = answer.hits.map((hit) => ({ ...hit, sourceId: hit.sourceId.replace(/ again$/, "") }))
          return { ...answer, hits }
        },
      }
    },
  }
}
