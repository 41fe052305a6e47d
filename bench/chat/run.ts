import { UserError } from "../../src/base/errors.ts"
import { killRoom } from "../../testkit/chat/killing/kill-room.ts"
import { createSeededRandom } from "../../testkit/seeded-random.ts"
import type { Bench, Benchmark, Figure } from "../shared/figures.ts"
import { temporaryFolder } from "../shared/stores.ts"
import { runInitiative } from "./initiative/run.ts"
import { lifeKinds, runInterleavings } from "./interleavings.ts"
import { runLoad } from "./load/run.ts"
import { runWeek } from "./week.ts"

/** Everything that is measured of chat, each by its name. */
const parts: Record<string, (bench: Bench) => Promise<Figure[]>> = {
  interleavings(bench) {
    const { lives } = bench.options
    if (lives !== undefined && !lifeKinds.includes(String(lives)))
      throw new UserError("usage", `--lives takes ${lifeKinds.join(", ")}.`)
    return runInterleavings(bench, {
      wanted: whole(bench.options.interleavings, 100_000, "interleavings"),
      first: whole(bench.options.seed, 1, "seed"),
      only: lives === undefined ? undefined : String(lives),
    })
  },
  initiative: (bench) =>
    runInitiative(bench, {
      communities: whole(bench.options.communities, 500, "communities"),
      days: whole(bench.options.days, 30, "days"),
    }),
  load: (bench) => runLoad(bench, bench.options.quick === true),
  week: runWeek,
  kills: runKills,
}

/** Chat rooms under everything that can happen to them. */
export const chat: Benchmark = {
  about:
    "chat rooms: random lives with crashes, cuts, slow sends and model faults; a thousand rooms under load; a week of six rooms; thoughts of its own in 500 communities for 30 days; kills of a room's process",
  options: {
    only: { type: "string", help: `${Object.keys(parts).join(", ")} (all)` },
    interleavings: { type: "string", help: "how many random lives of each kind (100000)" },
    lives: { type: "string", help: `only lives of this kind: ${lifeKinds.join(", ")}` },
    communities: { type: "string", help: "how many communities have thoughts of their own (500)" },
    days: { type: "string", help: "for how many simulated days (30)" },
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
  const onKill = (count: number) => bench.progress("killing", count, kills)
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

function whole(given: string | boolean | undefined, fallback: number, name: string): number {
  const value = Number(given ?? fallback)
  if (Number.isInteger(value) && value >= 1 && value <= 10_000_000) return value
  throw new UserError("usage", `--${name} takes a whole number from 1 to 10000000.`)
}
