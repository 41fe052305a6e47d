import { createContext, Script } from "node:vm"

/**
 * What is long for a text, and less: what looks at no more than so much of a text may never see the end that a pattern gives up at
 * but in a shorter one. Each is compared with a tenth of it, unless it takes so little time that it does no harm.
 */
const tried = [
  { size: 100_000, harmlessMs: 10 },
  { size: 10_000, harmlessMs: 15 },
]
/** More time than this, and it is not waited for: whatever is so slow on such a text has to look at less. */
const longestMs = 750
/** The smaller text is read again and again until this much time went by: some machines count in steps of 4 ms. */
const baseMs = 5
const mostTimes = 400
/** Where it grows as the text does, nobody looks twice. */
const plain = 15
const mostRuns = 5

/**
 * How many times longer a function takes on a text ten times as long; infinite where it takes far too
 * long for that. In time of the processor and the least of some runs, because others on the machine make runs slower.
 */
export function growthOf(run: (text: string) => unknown, textOf: (size: number) => string): number {
  let most = 1
  for (const { size, harmlessMs } of tried) {
    const timeOfLarge = () => boundedTime(run, textOf(size)) ?? Number.POSITIVE_INFINITY
    let took = timeOfLarge()
    let growth = Number.POSITIVE_INFINITY
    for (let runs = 0; runs < mostRuns && growth > plain; runs += 1) {
      if (took === Number.POSITIVE_INFINITY) return took
      // What seems too much is measured again, and longer.
      if (runs > 0) took = Math.min(took, timeOfLarge())
      growth = took <= harmlessMs ? 1 : took / meanTime(run, textOf(size / 10), baseMs * 4 ** runs)
    }
    most = Math.max(most, growth)
  }
  return most
}

function meanTime(run: (text: string) => unknown, text: string, forMs: number): number {
  let sum = 0
  let times = 0
  for (; sum < forMs && times < mostTimes; times += 1) sum += timeOf(() => run(text))
  return sum / times
}

/** Milliseconds of the processor. */
function timeOf(run: () => unknown): number {
  const began = process.threadCpuUsage()
  try {
    run()
  } catch (error) {
    if (isCutOff(error)) throw error
    // What is no file of the kind may be refused; that must be quick as well.
  }
  const { user, system } = process.threadCpuUsage(began)
  return (user + system) / 1000
}

const held: { run?: () => unknown } = {}
const context = createContext(held)
const script = new Script("run()")
/** What is cut off is cut off by the clock; on a busy machine that goes faster than the processor's time. */
const leave = 4

/** The same; undefined where it took too long, and was cut off where it went on. */
function boundedTime(run: (text: string) => unknown, text: string): number | undefined {
  held.run = () => run(text)
  try {
    const took = timeOf(() => script.runInContext(context, { timeout: longestMs * leave }))
    return took > longestMs ? undefined : took
  } catch {
    return undefined
  }
}

function isCutOff(error: unknown): boolean {
  return Object(error).code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
}
