/** One measured number; `better` tells which way is progress, `baseline` what was measured beside it. */
export interface Figure {
  id: string
  value: number
  unit: string
  better: "higher" | "lower"
  baseline?: { name: string; value: number }
  /** From how many rows it was measured, and between which values it lies in 95 of 100 cases. */
  rows?: number
  interval?: [low: number, high: number]
}

/** What is being done, how much of it is done, and of how much. */
export type TellProgress = (doing: string, done: number, of: number) => void

/** What a running benchmark gets. */
export interface Bench {
  /** Tells whoever waits how far it is; never part of the result. */
  say(text: string): void
  /** Shows on a terminal how far something is, how fast it goes and how long it will take. */
  progress: TellProgress
  /** What was given on the command line, by the names the benchmark declares. */
  options: Readonly<Record<string, string | boolean | undefined>>
  /** Has something cleaned up after the run, however it ends; the newest goes first. */
  atEnd(cleanUp: () => void | Promise<void>): void
}

/** An option of a benchmark, as node:util's parseArgs takes it, with its help. */
interface BenchOption {
  type: "boolean" | "string"
  help: string
}

/** One benchmark: what it measures, its own options, and how to run it. */
export interface Benchmark {
  about: string
  options: Readonly<Record<string, BenchOption>>
  run(bench: Bench): Promise<Figure[]>
}

/** The value below which that share of the values lies (nearest rank); 0.5 gives the median. */
export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new RangeError("there is no percentile of nothing")
  const sorted = values.toSorted((a, b) => a - b)
  const rank = Math.ceil(share * sorted.length)
  return sorted[Math.max(0, rank - 1)] ?? Number.NaN
}

/** The middle value. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** How many milliseconds a piece of work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
