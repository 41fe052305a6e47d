import { yieldToEventLoop } from "../../src/base/clock.ts"
import { UserError } from "../../src/base/errors.ts"
import { allCases } from "../../testkit/budget/cases.ts"
import { people } from "../../testkit/budget/people.ts"
import { simulate } from "../../testkit/budget/simulate.ts"
import { formula, own, type Strategy, timer } from "../../testkit/budget/strategies.ts"
import {
  intervalsOf,
  type Run,
  shareOfWindows,
  shareUsed,
  sumOf,
  throttledIn,
} from "../../testkit/budget/tally.ts"
import { type Bench, type Benchmark, type Figure, median } from "../shared/figures.ts"

const mostSeeds = 1000
const may = "of (capacity - user's use) x 0.8 of the tighter window"

/** Two weeks with a user and two windows, many times: what own work takes, and whether the user ever notices. */
export const budget: Benchmark = {
  about: "14 simulated days with a user and two windows: whether the user is ever refused because of cycles",
  options: {
    seeds: { type: "string", help: "how often each kind of user lives through each plan (default 6)" },
  },
  async run(bench) {
    const seeds = Number(bench.options.seeds ?? 6)
    if (!Number.isInteger(seeds) || seeds < 1 || seeds > mostSeeds) {
      throw new UserError("usage", `--seeds takes a whole number from 1 to ${mostSeeds}.`)
    }
    const ours = await runAll(bench, own, seeds)
    const timed = await runAll(bench, timer, seeds)
    const plain = await runAll(bench, formula, seeds)
    return [
      ...main(ours, timed),
      ...detail(ours, timed),
      ...byPerson(ours, timed),
      ...baseline("formula", plain),
    ]
  },
}

async function runAll(bench: Bench, strategy: Strategy, seeds: number): Promise<Run[]> {
  const runs: Run[] = []
  const cases = allCases(seeds)
  for (const [index, one] of cases.entries()) {
    runs.push({ case: one, outcome: simulate(one, strategy) })
    bench.progress(strategy.name, index + 1, cases.length)
    await yieldToEventLoop()
  }
  return runs
}

function main(ours: readonly Run[], timed: readonly Run[]): Figure[] {
  const known = (runs: readonly Run[], isCold: boolean) => runs.filter((run) => run.case.isCold === isCold)
  return [
    versus("user-throttled", "calls refused because of cycles", "lower", throttledIn, ours, timed),
    versus("ambient-share-used", may, "higher", shareUsed, ours, timed),
    versus(
      "ambient-share-used.known-user",
      may,
      "higher",
      shareUsed,
      known(ours, false),
      known(timed, false),
    ),
    versus(
      "ambient-share-used.unknown-user",
      may,
      "higher",
      shareUsed,
      known(ours, true),
      known(timed, true),
    ),
  ]
}

function detail(ours: readonly Run[], timed: readonly Run[]): Figure[] {
  const mean = (of: (run: Run) => number) => (runs: readonly Run[]) => sumOf(runs, of) / runs.length
  const windows = ["5h", "7d"].flatMap((id) => [
    versus(
      `${id}.user`,
      "share of the window",
      "higher",
      (runs) => shareOfWindows(runs, id, "userCost"),
      ours,
      timed,
    ),
    versus(
      `${id}.ambient`,
      "share of the window",
      "higher",
      (runs) => shareOfWindows(runs, id, "ambientCost"),
      ours,
      timed,
    ),
  ])
  const throttledRuns = (runs: readonly Run[]) =>
    sumOf(runs, ({ outcome }) => Math.min(1, outcome.throttledAt.length))
  return [
    { id: "runs", value: ours.length, unit: "14-day runs", better: "higher" },
    versus("runs-throttled", "runs", "lower", throttledRuns, ours, timed),
    versus(
      "cycles",
      "per run",
      "higher",
      mean(({ outcome }) => outcome.cycles),
      ours,
      timed,
    ),
    versus("interval.median", "minutes", "lower", (runs) => median(intervalsOf(runs)), ours, timed),
    ...windows,
    versus(
      "paused-for-user",
      "hours per run",
      "lower",
      mean(({ outcome }) => outcome.pausedMs / 3_600_000),
      ours,
      timed,
    ),
    versus(
      "cycles-refused",
      "per run",
      "lower",
      mean(({ outcome }) => outcome.ambientRefused),
      ours,
      timed,
    ),
    versus(
      "user-refused-anyway",
      "calls per run",
      "lower",
      mean(({ outcome }) => outcome.refusedAnyway),
      ours,
      timed,
    ),
  ]
}

function byPerson(ours: readonly Run[], timed: readonly Run[]): Figure[] {
  return people.flatMap(({ name }) => {
    const id = name.replaceAll(/[^a-z0-9]+/g, "-")
    const own = ours.filter((run) => run.case.person.name === name)
    const theirs = timed.filter((run) => run.case.person.name === name)
    return [
      versus(`user-throttled.${id}`, "calls", "lower", throttledIn, own, theirs),
      versus(`ambient-share-used.${id}`, may, "higher", shareUsed, own, theirs),
    ]
  })
}

function baseline(name: string, runs: readonly Run[]): Figure[] {
  return [
    { id: `${name}.user-throttled`, value: throttledIn(runs), unit: "calls", better: "lower" },
    { id: `${name}.ambient-share-used`, value: shareUsed(runs), unit: may, better: "higher" },
    {
      id: `${name}.cycles`,
      value: sumOf(runs, ({ outcome }) => outcome.cycles) / runs.length,
      unit: "per run",
      better: "higher",
    },
  ]
}

function versus(
  id: string,
  unit: string,
  better: Figure["better"],
  measure: (runs: readonly Run[]) => number,
  ours: readonly Run[],
  timed: readonly Run[],
): Figure {
  return { id, value: measure(ours), unit, better, baseline: { name: timer.name, value: measure(timed) } }
}
