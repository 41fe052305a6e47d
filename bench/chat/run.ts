import { UserError } from "../../src/base/errors.ts"
import { killRoom } from "../../testkit/chat/killing/kill-room.ts"
import { simulate } from "../../testkit/chat/simulate.ts"
import { createSeededRandom } from "../../testkit/seeded-random.ts"
import type { Bench, Benchmark, Figure } from "../shared/figures.ts"
import { temporaryFolder } from "../shared/stores.ts"
import { runLoad } from "./load/run.ts"
import { runWeek } from "./week.ts"

/** Everything that is measured of chat, each by its name. */
const parts: Record<string, (bench: Bench) => Promise<Figure[]>> = {
  interleavings: runInterleavings,
  load: (bench) => runLoad(bench, bench.options.quick === true),
  week: runWeek,
  kills: runKills,
}

/** Chat rooms under everything that can happen to them. */
export const chat: Benchmark = {
  about:
    "chat rooms: random lives with crashes, cuts, slow sends and model faults; a thousand rooms under load; a week of six rooms; kills of a room's process",
  options: {
    only: { type: "string", help: `${Object.keys(parts).join(", ")} (all)` },
    interleavings: { type: "string", help: "how many random lives (100000)" },
    kills: { type: "string", help: "how often the process of a room is killed (100)" },
    quick: { type: "boolean", help: "a shorter load" },
    seed: { type: "string", help: "the first seed (1); one life is replayed with --interleavings 1" },
  },
  async run(bench) {
    const { only } = bench.options
    if (only === undefined) {
      const figures: Figure[] = []
      for (const part of Object.values(parts)) figures.push(...(await part(bench)))
      return figures
    }
    const part = parts[String(only)]
    if (part === undefined) throw new UserError("usage", `--only takes ${Object.keys(parts).join(", ")}.`)
    return part(bench)
  },
}

async function runKills(bench: Bench): Promise<Figure[]> {
  const kills = whole(bench.options.kills, 100, "kills")
  const random = createSeededRandom(whole(bench.options.seed, 1, "seed"))
  const onKill = (count: number) => {
    if (count % 25 === 0) bench.say(`${count} of ${kills} kills`)
  }
  const killed = await killRoom({ folder: temporaryFolder(bench), kills, random, onKill })
  const { twice, lostMentions, lostMessages } = killed
  for (const one of [...twice, ...lostMentions, ...lostMessages].slice(0, 20)) bench.say(one)
  const figure = (id: string, value: number, better: Figure["better"]): Figure => ({
    ...{ id, value, unit: "", better },
  })
  return [
    figure("kills", killed.kills, "higher"),
    figure("kills.messages", killed.messages, "higher"),
    figure("kills.mentions", killed.mentions, "higher"),
    figure("kills.mentions-answered", killed.answered, "higher"),
    figure("kills.mentions-lost", lostMentions.length, "lower"),
    figure("kills.said-twice", twice.length, "lower"),
    figure("kills.messages-lost", lostMessages.length, "lower"),
  ]
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
