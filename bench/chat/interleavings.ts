import { join } from "node:path"
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { systemRandom } from "../../src/base/random.ts"
import type { Database } from "../../src/storage/database.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import { simulate } from "../../testkit/chat/simulate.ts"
import { simulateThoughts } from "../../testkit/chat/thoughts/simulate.ts"
import { fastestFolder } from "../../testkit/setup/fastest-folder.ts"
import type { Bench, Figure } from "../shared/figures.ts"
import { temporaryFolder } from "../shared/stores.ts"

interface Lived {
  violations: { invariant: string; what: string }[]
  actions: string[]
  counts: Record<string, number>
}

type Live = (seed: number, budgets: Database) => Promise<Lived>

/** What random lives are led, each by its name. */
const kinds: Record<string, Live> = {
  async rooms(seed) {
    const { violations, actions, messages, calls, posts } = await simulate(seed)
    return { violations, actions, counts: { messages, calls, posts } }
  },
  thoughts: (seed) => thinking(seed),
  media: (seed, budgets) => thinking(seed, budgets),
}

async function thinking(seed: number, budgets?: Database): Promise<Lived> {
  const { violations, actions, media, ...counts } = await simulateThoughts(seed, { media: budgets })
  const { asked, refused } = media
  return {
    ...{ violations, actions },
    counts: budgets ? { ...counts, "media-asked": asked, "media-refused": refused } : counts,
  }
}

export const lifeKinds = Object.keys(kinds)

/** Random lives of rooms, and of communities with thoughts of their own, without and with media. */
export async function runInterleavings(
  bench: Bench,
  { wanted, first, only }: { wanted: number; first: number; only: string | undefined },
): Promise<Figure[]> {
  const figures: Figure[] = []
  const budgets = await openDatabase({
    ...{ url: "", file: join(temporaryFolder(bench, fastestFolder()), "media.db") },
    ...{ clock: systemClock, random: systemRandom, log: silentLog },
  })
  bench.atEnd(() => budgets.close())
  for (const [kind, live] of Object.entries(kinds))
    if (only === undefined || only === kind)
      figures.push(...(await liveMany(bench, kind, (seed) => live(seed, budgets), wanted, first)))
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
