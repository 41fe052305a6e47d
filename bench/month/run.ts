import { join } from "node:path"
import { startModelServer } from "../../testkit/model-server/model-server.ts"
import { type Month, simulateMonth } from "../../testkit/month/simulate.ts"
import type { Bench, Benchmark, Figure } from "../shared/figures.ts"
import { percentile } from "../shared/figures.ts"
import { temporaryFolder } from "../shared/stores.ts"

/** A month of tending on a clock that is moved by hand. */
export const month: Benchmark = {
  about: "a simulated month of tending: wakes, cycles, the queue, tokens on idle days",
  options: {
    days: { type: "string", help: "how many days (30)" },
    seed: { type: "string", help: "which life is lived (1)" },
  },
  async run(bench) {
    return figuresOf(await live(bench))
  },
}

async function live(bench: Bench): Promise<Month> {
  const server = await startModelServer()
  bench.atEnd(() => server.close())
  const folder = temporaryFolder(bench)
  const days = Number(bench.options.days ?? 30)
  const seed = Number(bench.options.seed ?? 1)
  bench.say(`living through ${days} days, minute by minute`)
  return simulateMonth({ server, folder, url: `sqlite:${join(folder, "month.db")}`, days, seed })
}

function figuresOf(month: Month): Figure[] {
  const { cycles, planned } = month
  const ended = (status: string) => cycles.filter((cycle) => cycle.status === status).length
  const due = planned.filter(({ isDue }) => isDue)
  const minutes = (values: readonly number[], share: number) =>
    values.length === 0 ? 0 : Math.round((percentile(values, share) / 60_000) * 10) / 10
  const low = (id: string, value: number, unit = ""): Figure => ({ id, value, unit, better: "lower" })
  const high = (id: string, value: number, unit = ""): Figure => ({ id, value, unit, better: "higher" })
  return [
    high("cycles", cycles.length),
    high("cycles.complete", ended("complete")),
    low("cycles.incomplete", ended("incomplete")),
    low("cycles.interrupted", ended("interrupted")),
    high("cycles.with-a-model", cycles.filter(({ model }) => model !== null).length),
    low("wake-error.p50", minutes(month.wakeErrors, 0.5), "min"),
    low("wake-error.max", minutes(month.wakeErrors, 1), "min"),
    low("wish-delay.p50", minutes(month.wishDelays, 0.5), "min"),
    low("wish-delay.p95", minutes(month.wishDelays, 0.95), "min"),
    low("woken-while-user-active", month.beganWhileActive),
    high("queue.due", due.length),
    low("queue.never-run", due.filter(({ finished }) => finished === 0).length),
    low("queue.run-twice", due.filter(({ finished }) => finished > 1).length),
    high("idle-days", month.idleDays),
    low("tokens-per-idle-day", month.idleDays === 0 ? 0 : Math.round(month.idleTokens / month.idleDays)),
    low("tokens", month.tokens),
  ]
}
