import { simulate } from "../../testkit/chat/simulate.ts"
import { simulateThoughts } from "../../testkit/chat/thoughts/simulate.ts"
import type { Bench, Figure } from "../shared/figures.ts"

interface Lived {
  violations: { invariant: string; what: string }[]
  actions: string[]
  counts: Record<string, number>
}

/** What random lives are led, each by its name. */
const kinds: Record<string, (seed: number) => Promise<Lived>> = {
  async rooms(seed) {
    const { violations, actions, messages, calls, posts } = await simulate(seed)
    return { violations, actions, counts: { messages, calls, posts } }
  },
  async thoughts(seed) {
    const { violations, actions, messages, looks, calls, posts, held, restarts } =
      await simulateThoughts(seed)
    return { violations, actions, counts: { messages, looks, calls, posts, held, restarts } }
  },
}

export const lifeKinds = Object.keys(kinds)

/** Random lives of rooms, and of communities with thoughts of their own. */
export async function runInterleavings(
  bench: Bench,
  { wanted, first, only }: { wanted: number; first: number; only: string | undefined },
): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [kind, live] of Object.entries(kinds))
    if (only === undefined || only === kind)
      figures.push(...(await liveMany(bench, kind, live, wanted, first)))
  return figures
}

async function liveMany(
  bench: Bench,
  kind: string,
  live: (seed: number) => Promise<Lived>,
  wanted: number,
  first: number,
): Promise<Figure[]> {
  const sums: Record<string, number> = {}
  let broken = 0
  for (let seed = first; seed < first + wanted; seed += 1) {
    const { violations, actions, counts } = await live(seed)
    broken += violations.length
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count
    for (const { invariant, what } of violations.slice(0, 3))
      bench.say(`${kind}, seed ${seed}: ${invariant}: ${what}`)
    if (wanted === 1) bench.say(actions.join(", "))
    if ((seed - first + 1) % 10_000 === 0) bench.say(`${seed - first + 1} of ${wanted} lives of ${kind}`)
  }
  const figure = (id: string, value: number, unit: string, better: Figure["better"]): Figure => ({
    ...{ id: `interleavings.${kind}${id}`, value, unit, better },
  })
  return [
    figure("", wanted, "random lives", "higher"),
    figure(".invariants-broken", broken, "", "lower"),
    ...Object.entries(sums).map(([name, value]) => figure(`.${name}`, value, "", "higher")),
  ]
}
