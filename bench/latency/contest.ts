import { setImmediate } from "node:timers/promises"
import { type Figure, median, percentile, timed } from "../shared/figures.ts"

/** A measured act and, for comparison, what the bare driver needs for the same input. */
interface Contest<Input> {
  rounds: number
  /** How often each side acts in a round. */
  times: number
  /** Makes the next input; not part of the measured time. */
  input(): Input
  ours(input: Input): Promise<unknown>
  plain?: { name: string; act(input: Input): Promise<unknown> }
}

/** The percentiles of one side, each the median over the rounds. */
interface Spread {
  p50: number
  p95: number
}

interface Outcome {
  ours: Spread
  plain?: { name: string } & Spread
}

const warmUps = 5

/** Lets both sides act by turns, so that whatever else the machine does hits both. Milliseconds. */
export async function hold<Input>(contest: Contest<Input>): Promise<Outcome> {
  await round({ ...contest, times: warmUps })
  const ours: Spread[] = []
  const plain: Spread[] = []
  for (let number = 0; number < contest.rounds; number += 1) {
    const times = await round(contest)
    ours.push(spreadOf(times.ours))
    if (contest.plain) plain.push(spreadOf(times.plain))
  }
  if (contest.plain === undefined) return { ours: middle(ours) }
  return { ours: middle(ours), plain: { name: contest.plain.name, ...middle(plain) } }
}

async function round<Input>({ times, input, ours, plain }: Contest<Input>) {
  const taken = { ours: [] as number[], plain: [] as number[] }
  for (let number = 0; number < times; number += 1) {
    const given = input()
    taken.ours.push(await timed(() => ours(given)))
    if (plain) taken.plain.push(await timed(() => plain.act(given)))
    // SQLite answers without ever waiting: signals would not be heard otherwise.
    await setImmediate()
  }
  return taken
}

function spreadOf(times: readonly number[]): Spread {
  return { p50: percentile(times, 0.5), p95: percentile(times, 0.95) }
}

function middle(rounds: readonly Spread[]): Spread {
  return { p50: median(rounds.map((spread) => spread.p50)), p95: median(rounds.map((spread) => spread.p95)) }
}

/** The two figures of an outcome: `sqlite.add.p50.1000` for the name `sqlite.add` and the size 1000. */
export function spreadFigures(name: string, size: number, { ours, plain }: Outcome): Figure[] {
  return (["p50", "p95"] as const).map((share) => ({
    id: `${name}.${share}.${size}`,
    value: ours[share],
    unit: "ms",
    better: "lower",
    ...(plain ? { baseline: { name: plain.name, value: plain[share] } } : {}),
  }))
}
