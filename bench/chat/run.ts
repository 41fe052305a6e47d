import { UserError } from "../../src/base/errors.ts"
import { simulate } from "../../testkit/chat/simulate.ts"
import type { Bench, Benchmark, Figure } from "../shared/figures.ts"

/** Chat rooms under everything that can happen to them. */
export const chat: Benchmark = {
  about:
    "random lives of chat rooms with crashes, cuts, slow sends and model faults; counts broken invariants",
  options: {
    only: { type: "string", help: "interleavings" },
    interleavings: { type: "string", help: "how many random lives (100000)" },
    seed: { type: "string", help: "the first seed (1); one life is replayed with --interleavings 1" },
  },
  async run(bench) {
    const { only = "interleavings" } = bench.options
    if (only !== "interleavings") throw new UserError("usage", "--only takes interleavings.")
    return runInterleavings(bench)
  },
}

async function runInterleavings(bench: Bench): Promise<Figure[]> {
  const wanted = whole(bench.options.interleavings, 100_000, "interleavings")
  const first = whole(bench.options.seed, 1, "seed")
  const sums = { broken: 0, messages: 0, calls: 0, posts: 0 }
  for (let seed = first; seed < first + wanted; seed += 1) {
    const { violations, messages, calls, posts, actions } = await simulate(seed)
    sums.broken += violations.length
    sums.messages += messages
    sums.calls += calls
    sums.posts += posts
    for (const { invariant, what } of violations.slice(0, 3)) bench.say(`seed ${seed}: ${invariant}: ${what}`)
    if (wanted === 1) bench.say(actions.join(", "))
    if ((seed - first + 1) % 10_000 === 0) bench.say(`${seed - first + 1} of ${wanted} lives`)
  }
  const figure = (id: string, value: number, unit: string, better: Figure["better"]): Figure => ({
    ...{ id, value, unit, better },
  })
  return [
    figure("interleavings", wanted, "random lives", "higher"),
    figure("invariants-broken", sums.broken, "", "lower"),
    figure("interleavings.messages", sums.messages, "said", "higher"),
    figure("interleavings.calls", sums.calls, "of models", "higher"),
    figure("interleavings.posts", sums.posts, "by us", "higher"),
  ]
}

function whole(given: string | boolean | undefined, fallback: number, name: string): number {
  const value = Number(given ?? fallback)
  if (Number.isInteger(value) && value >= 1 && value <= 10_000_000) return value
  throw new UserError("usage", `--${name} takes a whole number from 1 to 10000000.`)
}
